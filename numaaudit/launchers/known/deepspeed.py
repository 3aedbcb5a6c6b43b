"""DeepSpeed ``--bind_cores_to_rank``: equal parts of the CPU ids 0 to cores-1, without a look at GPUs.

Source: DeepSpeed 0.19.6 @ edaa722, ``deepspeed/utils/numa.py`` (get_numactl_cmd), ``deepspeed/launcher/launch.py``. The list is
``--bind_core_list`` or one id for each physical core. numactl gets ``-C`` with the part, and ``-m`` only where the part lies in
one NUMA node. As many NUMA nodes without CPUs as with are taken for a CPU with HBM, whose memory is then preferred.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import by_cpus, refused_numa_node
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, bind_to, refused, same_for_all

LAUNCHER = Launcher(
    version="DeepSpeed 0.19.6",
    source="deepspeed/utils/numa.py",
    options=(Option("bind-core-list", "", "--bind_core_list, such as 0-15,32-47"),),
)


def predict(view: HostView, job: Job) -> Prediction:
    """One part a rank; what is left over is not used."""
    given = job.cpus("bind-core-list")
    cores = list(given) if given else list(range(view.num_cores))
    quota = len(cores) // max(job.num_ranks, 1)
    if quota < 1:
        return Prediction(same_for_all(job, refused(f"AssertionError: {len(cores)} cores for {job.num_ranks} ranks")))
    return Prediction(tuple(_rank(view, CpuSet(cores[rank * quota : (rank + 1) * quota])) for rank in job.ranks))


def _rank(view: HostView, cpus: CpuSet) -> Binding:
    numa_nodes = [each.id for each in view.topology.numa_nodes if each.cpus and cpus <= each.cpus]
    if len(numa_nodes) != 1:
        return by_cpus(view, cpus).noting("the part lies in no one NUMA node: no memory policy")
    if _looks_like_flat_hbm(view):
        return by_cpus(view, cpus)._replace(policy=None).noting("NUMA nodes without CPUs are taken for HBM, whose memory is preferred")
    policy = bind_to(numa_nodes)
    reason = refused_numa_node(view, numa_nodes)
    return refused(reason, cpus, policy) if reason else by_cpus(view, cpus, policy)


def _looks_like_flat_hbm(view: HostView) -> bool:
    empty = len(view.topology.numa_nodes) - len(view.cpu_nodes)
    return empty > 0 and empty == len(view.cpu_nodes)
