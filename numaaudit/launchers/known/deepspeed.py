"""DeepSpeed ``--bind_cores_to_rank``: equal parts of the CPU ids 0 to cores-1, without a look at GPUs.

Source: DeepSpeed 0.19.6 @ edaa722, ``deepspeed/utils/numa.py`` (get_numactl_cmd), ``deepspeed/launcher/launch.py``. The list is
``--bind_core_list`` or one id for each physical core. numactl gets ``-C`` with the part, and ``-m`` only where the part lies in
one NUMA node. As many NUMA nodes without CPUs as with are taken for a CPU with HBM, whose memory is then preferred.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import by_cpus, refused_numa_node
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, bind_to, prefer, refused, same_for_all

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
    listed = _listed(view)
    place = next((place for place, own in enumerate(listed) if cpus <= own), None)
    if place is None:
        return by_cpus(view, cpus).noting("the part lies in no one NUMA node: no memory policy")
    empty = [number for number, own in enumerate(listed) if not own]
    with_cpus = [number for number, own in enumerate(listed) if own]
    if len(empty) == len(with_cpus):
        near = empty[with_cpus.index(place)]
        note = f"NUMA node {near} has no CPUs: it is taken for the HBM of NUMA node {place}"
        return _wrapped(view, cpus, near, prefer(near)).noting(note)
    return _wrapped(view, cpus, place, bind_to((place,)))


def _listed(view: HostView) -> list[CpuSet]:
    """The NUMA nodes below their count, by place: numbers with holes are read as others."""
    numbers = range(len(view.topology.numa_nodes))
    return [view.cpus_of(number) for number in numbers if view.topology.numa_node(number)]


def _wrapped(view: HostView, cpus: CpuSet, numa_node: int, policy: str) -> Binding:
    reason = refused_numa_node(view, (numa_node,))
    return refused(reason, cpus, policy) if reason else by_cpus(view, cpus, policy)
