"""ipexrun, the launcher of Intel Extension for PyTorch: physical cores in lscpu's order, cut into instances.

Source: intel/intel-extension-for-pytorch 2.10 @ 6d3ba89, ``cpu/launch/cpu_info.py``, ``cpu/launch/launcher_multi_instances.py``.
numactl gets the cores and ``-m`` with every NUMA node they touch. The cpuset is not looked at; what is left over is not used.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import by_cpus, refused_numa_node
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, bind_to, refused

LAUNCHER = Launcher(
    version="intel-extension-for-pytorch 2.10",
    source="intel_extension_for_pytorch/cpu/launch",
    options=(
        Option("mode", "plain", "--latency-mode or --throughput-mode", ("plain", "latency", "throughput")),
        Option("ncores-per-instance", "", "--ncores-per-instance"),
        Option("bind-numa-node", "no", "--bind-numa-node", ("no", "yes")),
        Option("nodes-list", "", "--nodes-list, such as 0,1"),
        Option("use-logical-cores", "no", "--use-logical-cores", ("no", "yes")),
    ),
    serves_gpus=False,
)
LATENCY_CORES = 4


def predict(view: HostView, job: Job) -> Prediction:
    """numactl in front of every instance."""
    parts = _parts(view, job)
    bindings = [_instance(view, CpuSet(part)) if part else refused("not enough cores for this instance") for part in parts]
    return Prediction(tuple(bindings), confidence=Confidence.LIKELY)


def _parts(view: HostView, job: Job) -> list[list[int]]:
    pools = [_pool(view, job, numa_node) for numa_node in job.numbers("nodes-list") or view.cpu_nodes]
    each = LATENCY_CORES if job.text("mode") == "latency" else job.number("ncores-per-instance", 0)
    by_numa_node = job.is_on("bind-numa-node") or job.text("mode") == "throughput"
    if not by_numa_node:
        pools = [sorted(cpu for pool in pools for cpu in pool)]
    if each:
        parts = [pool[start : start + each] for pool in pools for start in range(0, len(pool) - each + 1, each)]
        return (parts + [[] for _ in job.ranks])[: job.num_ranks]
    return [part for pool, count in zip(pools, _shares(job.num_ranks, len(pools))) for part in _cut(pool, count)]


def _pool(view: HostView, job: Job, numa_node: int) -> list[int]:
    cores = view.cores_in(view.cpus_of(numa_node))
    return [cpu for core in cores for cpu in (core if job.is_on("use-logical-cores") else (min(core),))]


def _shares(num_instances: int, num_pools: int) -> list[int]:
    each, more = divmod(num_instances, num_pools)
    return [each + (place < more) for place in range(num_pools)]


def _cut(pool: list[int], count: int) -> list[list[int]]:
    quota = len(pool) // count if count else 0
    return [pool[place * quota : (place + 1) * quota] for place in range(count)]


def _instance(view: HostView, cpus: CpuSet) -> Binding:
    numa_nodes = view.topology.numa_nodes_of(cpus)
    policy = bind_to(numa_nodes)
    reason = refused_numa_node(view, numa_nodes)
    return refused(reason, cpus, policy) if reason else by_cpus(view, cpus, policy)
