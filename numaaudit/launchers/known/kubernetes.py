"""Kubernetes' static CPU manager: exclusive CPUs for Guaranteed containers, here one for each rank and its GPU.

Source: kubernetes ``pkg/kubelet/cm/cpumanager/policy_static.go``, ``pkg/kubelet/cm/topologymanager`` (1.27 and later). The pool is what is
allowed without the reserved CPUs; containers are admitted in order of rank. With a topology manager the hint is the GPU's NUMA node;
a GPU whose NUMA node is not known gives none. CPUs come from the hinted NUMA nodes first, then from anywhere.
"""

from collections.abc import Callable
from functools import partial

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.kubelet_cpus import NotEnoughCpusError, distributed, packed
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, refused

POLICY_OPTIONS = ("full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket")
LAUNCHER = Launcher(
    version="kubernetes 1.27",
    source="pkg/kubelet/cm/cpumanager/policy_static.go",
    options=(
        Option("cpus", "", "CPUs of each container, by default every container's share in whole cores"),
        Option("reserved", "", "reservedSystemCPUs"),
        Option("policy-options", "", f"cpuManagerPolicyOptions: {', '.join(POLICY_OPTIONS)}"),
        Option("topology-manager", "none", "topologyManagerPolicy", ("none", "best-effort", "restricted", "single-numa-node")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """A cpuset for the whole container, before it starts."""
    chosen = tuple(word.strip() for word in job.text("policy-options").split(",") if word.strip())
    pool = view.allowed_cpus - _reserved(view, job, chosen)
    if not set(chosen) <= set(POLICY_OPTIONS):
        raise UsageError(f"policy-options are {', '.join(POLICY_OPTIONS)}, not {', '.join(chosen)}")
    bindings = []
    for rank in job.ranks:
        binding = _container(view, job, pool, chosen, rank)
        bindings.append(binding)
        pool -= binding.cpus or CpuSet()
    return Prediction(tuple(bindings))


def _container(view: HostView, job: Job, pool: CpuSet, chosen: tuple[str, ...], rank: int) -> Binding:
    count = job.number("cpus", _share(view, job))
    threads = len(view.core_of(min(view.online)))
    if "full-pcpus-only" in chosen and count % threads:
        return refused(f"SMTAlignmentError: {count} CPUs are no multiple of {threads}")
    hinted = _hinted(view, job, chosen, rank)
    if hinted is not None and len(hinted & pool) < count and job.text("topology-manager") in ("restricted", "single-numa-node"):
        return refused(f"TopologyAffinityError: NUMA node {view.home_of(job.gpu_of(rank))} of the GPU has {len(hinted & pool)} free CPUs")
    group_size = threads if "full-pcpus-only" in chosen else 1
    take = partial(distributed, view, group_size=group_size) if "distribute-cpus-across-numa" in chosen else partial(packed, view)
    try:
        return Binding(_taken(take, pool, hinted, count))
    except NotEnoughCpusError as error:
        return refused(str(error))


def _reserved(view: HostView, job: Job, chosen: tuple[str, ...]) -> CpuSet:
    """With full-pcpus-only also the siblings of reserved CPUs."""
    reserved = job.cpus("reserved") or CpuSet()
    return CpuSet(other for cpu in reserved for other in view.core_of(cpu)) if "full-pcpus-only" in chosen else reserved


def _share(view: HostView, job: Job) -> int:
    reserved = _reserved(view, job, ())
    threads = len(view.core_of(min(view.online)))
    return max(len(view.allowed_cpus - reserved) // max(job.num_ranks, 1) // threads * threads, 1)


def _hinted(view: HostView, job: Job, chosen: tuple[str, ...], rank: int) -> CpuSet | None:
    """The CPUs of the GPU's NUMA node, of its socket with align-by-socket; None where there is no hint."""
    homes = view.homes_of(job.gpu_of(rank))
    if job.text("topology-manager") == "none" or len(homes) != 1:
        return None
    cpus = view.cpus_of(homes[0])
    return view.package_cpus(cpus) if "align-by-socket" in chosen else cpus


def _taken(take: Callable[[CpuSet, int], CpuSet], pool: CpuSet, hinted: CpuSet | None, count: int) -> CpuSet:
    """From the hinted CPUs first, the rest from anywhere."""
    near = pool & hinted if hinted is not None else CpuSet()
    first = min(len(near), count)
    taken = take(near, first) if first else CpuSet()
    return taken | take(pool - taken, count - first) if count > first else taken
