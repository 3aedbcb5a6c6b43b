"""Processes that are chosen together, by their cgroup: one that was named, a container, a pod, or the Slurm job this runs in."""

from __future__ import annotations

from functools import partial
from typing import Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence

from numaaudit.collect.cgroups import Mounts
from numaaudit.collect.containers import find_container, short_id
from numaaudit.collect.host_files import host_tree
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.pod_list import read_pods
from numaaudit.collect.pods import find_pod, pod_uids
from numaaudit.collect.slurm import job_cgroup, step_of
from numaaudit.core.cgroup_ids import container_ids
from numaaudit.core.procfs import cgroup_rows


class Group(NamedTuple):
    """``has`` takes the text of a process's ``/proc/PID/cgroup``."""

    title: str
    has: Callable[[str], bool]


def named_groups(options: CollectOptions, cgroups: Sequence[str]) -> Iterator[Group]:
    """The groups that the options name, given those of all processes. CollectError where there is none of that name."""
    if options.cgroup:
        path = _cgroup_path(options.cgroup, options.root)
        yield Group("cgroup %s" % options.cgroup, lambda cgroup: is_below(cgroup, path))
    if options.container:
        number = find_container(options.container, cgroups)
        yield Group("container %s" % short_id(number), lambda cgroup: number in container_ids(cgroup))
    if options.pod:
        listed = read_pods(options.kubectl_pods) if options.kubectl_pods else ()
        for pod in find_pod(options.pod, host_tree(options.root), listed, cgroups):
            yield Group("pod %s" % pod.title, partial(_is_of_pod, pod.digits))


def job_group(environ: Mapping[str, str], own_cgroup: str) -> Optional[Group]:
    """The Slurm job of a process with this environment and cgroup; None outside of one, or where Slurm makes no cgroups."""
    step, path = step_of(environ), job_cgroup(own_cgroup)
    return Group("Slurm job %s" % step.job_id, lambda cgroup: is_below(cgroup, path or "")) if step and path else None


def _is_of_pod(digits: str, cgroup: str) -> bool:
    return digits in pod_uids(cgroup)


def paths_of(cgroup: str) -> List[str]:
    """The path in each hierarchy; none for a text that is damaged."""
    return [path for _, _, path in cgroup_rows(cgroup)]


def is_below(cgroup: str, wanted: str) -> bool:
    return any(path == wanted or path.startswith(wanted.rstrip("/") + "/") for path in paths_of(cgroup))


def _cgroup_path(wanted: str, root: str) -> str:
    """A cgroup as /proc/PID/cgroup prints it, which may have been given as a directory of its hierarchy."""
    points = Mounts.of(host_tree(root).text("root/proc/mounts") or "").points.values()
    point = max(("/" + point for point in points if (wanted + "/").startswith("/%s/" % point)), key=len, default="")
    return "/" + wanted[len(point) :].strip("/")
