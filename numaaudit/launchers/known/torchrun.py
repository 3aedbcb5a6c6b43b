"""torchrun ``--numa-binding``: from the GPU's NUMA node, with what the agent's own mask leaves.

Source: PyTorch 2.14.1 (git 5c48869), ``torch/numa/binding.py``. The device is the local rank's, its NUMA node is read at its
PCI address, and a -1 there counts as 0. No memory policy is set: first touch is relied on.

node          the allowed CPUs of the NUMA node
socket        those of all NUMA nodes whose lowest allowed CPU is in the same package
exclusive     the NUMA node's cores, shared out to its visible devices, one more core to the first ones
core-complex  the CPUs of one last-level cache, the larger first, in turn
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import by_cpus
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, Reach, Stage, for_each_rank, refused, unbound

LAUNCHER = Launcher(
    version="torch 2.14.1",
    source="torch/numa/binding.py",
    options=(
        Option("mode", "node", "--numa-binding", ("node", "socket", "exclusive", "core-complex")),
        Option("entry", "script", "what torchrun starts", ("script", "function")),
        Option("fall-back", "no", "should_fall_back_if_binding_fails", ("no", "yes")),
    ),
)


class _BindingError(Exception):
    """What torch raises, in its words."""


def predict(view: HostView, job: Job) -> Prediction:
    """A wrapper of the script, or a call in the child that starts a function."""
    mode = {"node": _numa_node, "socket": _socket, "exclusive": _exclusive, "core-complex": _core_complex}[job.text("mode")]

    def bind(rank: int) -> Binding:
        try:
            cpus = mode(view, job, rank)
        except _BindingError as error:
            return unbound(str(error)) if job.is_on("fall-back") else refused(str(error))
        return by_cpus(view, cpus).noting(*_notes(view, job, rank))

    stage = Stage.BEFORE_EXEC if job.text("entry") == "script" else Stage.BEFORE_CUDA
    return Prediction(for_each_rank(job, bind), Reach.ALL_THREADS, stage)


def _notes(view: HostView, job: Job, rank: int) -> list[str]:
    return ["the GPU's numa_node is -1, which torch takes for 0"] if view.sysfs_node_of(job.gpu_of(rank)) < 0 else []


def _index(view: HostView, job: Job, rank: int) -> int:
    return max(view.sysfs_node_of(job.gpu_of(rank)), 0)


def _available(view: HostView, numa_node: int) -> CpuSet:
    return view.cpus_of(numa_node) & view.allowed_cpus


def _numa_node(view: HostView, job: Job, rank: int) -> CpuSet:
    cpus = _available(view, _index(view, job, rank))
    if not cpus:
        raise _BindingError("RuntimeError: Must bind to a non-empty set of CPU indices")
    return cpus


def _socket(view: HostView, job: Job, rank: int) -> CpuSet:
    available = {each.id: _available(view, each.id) for each in view.topology.numa_nodes}
    if not all(available.values()):
        raise _BindingError("ValueError: min() arg is an empty sequence: a NUMA node has no allowed CPU")
    lowest = CpuSet((min(available[_index(view, job, rank)]),))
    socket = view.package_cpus(lowest)
    cpus = CpuSet()
    for own in available.values():
        cpus |= own if min(own) in socket else CpuSet()
    return cpus


def _exclusive(view: HostView, job: Job, rank: int) -> CpuSet:
    numa_node = _index(view, job, rank)
    cores = view.cores_in(_available(view, numa_node))
    position, peers = _among_peers(view, job, rank, numa_node)
    each, more = divmod(len(cores), peers)
    if each < 1:
        raise _BindingError(f"RuntimeError: There are only {len(cores)} physical cores for {peers} devices")
    start = position * each + min(position, more)
    cpus = CpuSet()
    for core in cores[start : start + each + (position < more)]:
        cpus |= core
    return cpus


def _core_complex(view: HostView, job: Job, rank: int) -> CpuSet:
    numa_node = _index(view, job, rank)
    complexes = sorted(view.caches_in(_available(view, numa_node)), key=lambda cpus: (-len(cpus), min(cpus)))
    if not complexes:
        raise _BindingError("RuntimeError: Must bind to a non-empty set of CPU indices")
    position, _ = _among_peers(view, job, rank, numa_node)
    return complexes[position % len(complexes)]


def _among_peers(view: HostView, job: Job, rank: int, numa_node: int) -> tuple[int, int]:
    """The rank's place among the visible devices of its NUMA node, and their number. All count, started or not."""
    peers = [number for number in range(len(job.visible_gpus)) if _index(view, job, number) == numa_node]
    return peers.index(rank), len(peers)
