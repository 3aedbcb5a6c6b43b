"""Open MPI 5 (PRRTE): ranks in blocks over packages, each bound to its whole package; two ranks get one core each.

Source: openpmix/prrte 5.0.0-dev @ 52d5e4b, ``src/mca/rmaps/base``, ``src/mca/odls/base/odls_base_bind.c``; Open MPI 6.1.0-dev @ 8efebee,
its documentation. Without ``--map-by``: core for at most two ranks, else package. Without ``--bind-to``: what is mapped by.
More ranks than cores are not bound. The daemon's allowed CPUs (hwloc) cut every object. No memory policy.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import Binding, Launcher, Prediction, same_for_all, unbound

OBJECTS = ("package", "numa", "l3cache", "core", "hwthread")
LAUNCHER = Launcher(
    version="PRRTE 5.0.0-dev",
    source="prrte src/mca/rmaps/base",
    options=(
        Option("map-by", "", "--map-by", ("", *OBJECTS)),
        Option("bind-to", "", "--bind-to", ("", "none", *OBJECTS)),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """In the child, before exec."""
    map_by = job.text("map-by") or ("core" if job.num_ranks <= 2 else "package")
    bind_to = job.text("bind-to") or map_by
    if bind_to == "none":
        return Prediction(same_for_all(job, unbound("--bind-to none")))
    if job.num_ranks > len(view.cores_in(view.allowed_cpus)):
        return Prediction(same_for_all(job, unbound("more ranks than cores: not bound without :overload")))
    uneven = job.num_ranks % len(_objects(view, map_by))
    bindings = tuple(Binding(cpus) for cpus in _masks(view, job, map_by, bind_to))
    return Prediction(bindings, confidence=Confidence.LIKELY if uneven else Confidence.CERTAIN)


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
    """An object to bind to that is not inside the object mapped by is the one around it."""
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
