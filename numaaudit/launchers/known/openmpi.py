"""Open MPI 5 (PRRTE): the released 5.0 gives every rank a core; the development line a package, where there are more than two.

Source: Open MPI 5.0.11 with PRRTE 3.0.14, run: it maps and binds by core whatever the number of ranks is. openpmix/prrte
5.0.0-dev @ 52d5e4b, ``src/mca/rmaps/base``: core for at most two ranks, else package. Without ``--map-by`` it maps by what is
bound to, without ``--bind-to`` it binds to what is mapped by; what is bound to may not lie above what is mapped by. Ranks
fill objects in blocks. More ranks than cores find no slots; with ``:OVERSUBSCRIBE`` they are not bound. The daemon's allowed
CPUs (hwloc) cut every object. No memory policy.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, refused, same_for_all, unbound

OBJECTS = ("package", "numa", "l3cache", "core", "hwthread")
LAUNCHER = Launcher(
    version="Open MPI 5.0.11, PRRTE 3.0.14 and 5.0.0-dev",
    source="prrte src/mca/rmaps/base",
    options=(
        Option("release", "5.0", "main is the development line", ("5.0", "main")),
        Option("map-by", "", "--map-by", ("", *OBJECTS)),
        Option("bind-to", "", "--bind-to", ("", "none", *OBJECTS)),
        Option("oversubscribe", "no", "--map-by :OVERSUBSCRIBE", ("no", "yes")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """In the child, before exec."""
    if job.text("bind-to") == "none":
        return Prediction(same_for_all(job, unbound("--bind-to none")))
    map_by = job.text("map-by") or job.text("bind-to") or _default(job)
    bind_to = job.text("bind-to") or map_by
    if OBJECTS.index(bind_to) < OBJECTS.index(map_by):
        return Prediction(same_for_all(job, refused(f"mpirun exits: {bind_to}, to bind to, lies above {map_by}, mapped by")))
    num_cores = len(view.cores_in(view.allowed_cpus))
    if job.num_ranks > num_cores:
        return Prediction(same_for_all(job, _too_many(job, num_cores)))
    return Prediction(tuple(Binding(cpus) for cpus in _masks(view, job, map_by, bind_to)))


def _default(job: Job) -> str:
    return "core" if job.text("release") == "5.0" or job.num_ranks <= 2 else "package"


def _too_many(job: Job, num_cores: int) -> Binding:
    if job.is_on("oversubscribe"):
        return unbound(f"{job.num_ranks} ranks on {num_cores} cores are not bound")
    return refused(f"mpirun exits: there are not enough slots available, {num_cores} for {job.num_ranks} ranks")


def _masks(view: HostView, job: Job, map_by: str, bind_to: str) -> list[CpuSet]:
    """Ranks fill the objects mapped by in blocks; inside one, each takes the first object to bind to that has a free core."""
    mapped = _objects(view, map_by)
    each, more = divmod(job.num_ranks, len(mapped))
    masks: list[CpuSet] = []
    for place, cpus in enumerate(mapped):
        free = dict.fromkeys(view.cores_in(cpus))
        for _ in range(each + (place < more)):
            mask = _first_with_free_core(view, cpus, bind_to, list(free))
            masks.append(mask)
            free.pop(next((core for core in free if not core.isdisjoint(mask)), CpuSet()), None)
    return masks


def _first_with_free_core(view: HostView, cpus: CpuSet, bind_to: str, free: list[CpuSet]) -> CpuSet:
    """A package that lies across the NUMA node mapped by, or the reverse, counts as inside."""
    inside = [each for each in _objects(view, bind_to) if not each.isdisjoint(cpus)]
    return next((each for each in inside if any(not each.isdisjoint(core) for core in free)), inside[0])


def _objects(view: HostView, kind: str) -> list[CpuSet]:
    """The objects of a kind that have an allowed CPU, in hwloc's order."""
    allowed = view.allowed_cpus
    if kind == "package":
        cpus = [package.cpus for package in view.packages]
    elif kind == "numa":
        cpus = [view.cpus_of(numa_node) for numa_node in view.cpu_nodes]
    elif kind == "l3cache":
        cpus = view.caches_in(allowed)
    elif kind == "core":
        return view.cores_in(allowed)
    else:
        return [CpuSet((cpu,)) for core in view.cores_in(allowed) for cpu in core]
    return [each & allowed for each in cpus if not each.isdisjoint(allowed)]
