"""vLLM's GPU workers, ``--numa-bind``: numactl in front of each worker, by the NUMA node that NVML gives.

Source: vLLM 0.33.0, ``vllm/utils/numa_utils.py``, ``vllm/platforms/cuda.py``. The automatic choice needs a directory
``node1``, a mask with every CPU, and the NUMA node of every GPU: the one of the lowest CPU of NVML's mask. Else the engine
raises. ``numactl ... true`` is tried first: what is refused is repeated without ``--membind``, then left out.
"""

from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import refused_cpunodebind, refused_numa_node, refused_range
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, bind_to, for_each_rank, refused, same_for_all, unbound

LAUNCHER = Launcher(
    version="vLLM 0.33.0",
    source="vllm/utils/numa_utils.py",
    options=(
        Option("numa-bind", "yes", "--numa-bind, off unless it is given", ("yes", "no")),
        Option("numa-bind-nodes", "", "--numa-bind-nodes, such as '0 0 1 1'"),
        Option("numa-bind-cpus", "", "--numa-bind-cpus, such as '0-3 4-7'"),
        Option("membind", "permitted", "whether seccomp permits set_mempolicy", ("permitted", "refused")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The NUMA node of each worker first; one that is missing stops them all."""
    if not job.is_on("numa-bind"):
        return Prediction(same_for_all(job, unbound("--numa-bind is off")))
    numa_nodes = job.numbers("numa-bind-nodes")
    if numa_nodes is None:
        failure = _no_automatic_choice(view)
        if failure:
            return Prediction(same_for_all(job, refused(f"RuntimeError: no NUMA node found for every GPU: {failure}")))
    return Prediction(for_each_rank(job, lambda rank: _worker(view, job, rank, numa_nodes)))


def _no_automatic_choice(view: HostView) -> str | None:
    if not view.has_second_numa_node:
        return "there is no /sys/devices/system/node/node1"
    return "CPU affinity is already constrained for this process" if view.is_constrained else None


def _worker(view: HostView, job: Job, rank: int, numa_nodes: list[int] | None) -> Binding:
    if numa_nodes is not None and rank >= len(numa_nodes):
        return refused(f"numa_bind_nodes has no entry for GPU {rank}")
    numa_node = numa_nodes[rank] if numa_nodes is not None else view.numa_node_of_cpu(min(view.nvml_cpus_of(job.gpu_of(rank))))
    lists = job.lists("numa-bind-cpus")
    cpus = lists[rank] if rank < len(lists) else view.cpus_of(numa_node)
    refusal = refused_range(view, cpus.runs()) if lists else refused_cpunodebind(view, numa_node)
    if refusal:
        return unbound(f"numactl is tried and left out: {refusal}", cpus)
    memory = refused_numa_node(view, (numa_node,)) or ("set_mempolicy is not permitted" if job.text("membind") == "refused" else None)
    if memory:
        return Binding(cpus, notes=(f"--membind is left out: {memory}",))
    return Binding(cpus, bind_to((numa_node,)))
