"""The cgroup directories of a process, from its own up to the root of each hierarchy, v1 and v2 (cgroups(7))."""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Tuple

from numaaudit.bundle.tree import Tree
from numaaudit.collect.host_files import not_utf_8
from numaaudit.core.procfs import cgroup_rows

_USEFUL = ("cpuset", "memory", "cpu")


class Mounts(NamedTuple):
    """Where the hierarchies are: the one of v2 under the name ``""``, those of v1 under their controllers' names."""

    points: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Mounts:
        """Read /proc/mounts: device, mount point, type, options (octal escapes as in fstab(5)). The first of a kind counts."""
        points: Dict[str, str] = {}
        for fields in (line.split(" ") for line in text.splitlines()):
            if len(fields) >= 4 and fields[2] in ("cgroup", "cgroup2"):
                point = fields[1].replace("\\040", " ").strip("/")
                for controller in fields[3].split(",") if fields[2] == "cgroup" else ("",):
                    points.setdefault(controller, point)
        return cls(points)


def chain(tree: Tree, mounts: Mounts, cgroup: str) -> List[str]:
    """The directories, below the host's root, that limit a process whose ``/proc/PID/cgroup`` is this text.

    In a container a hierarchy's mount may show only a part of it: then leading parts of the path that are not there are left
    out, down to the mount point itself.
    """
    folders: Dict[str, None] = {}
    for point, path in _places(mounts, cgroup):
        parts = [part for part in path.split("/") if part]
        while parts and not _is_there(tree, "%s/%s" % (point, "/".join(parts))):
            parts = parts[1:]
        for depth in range(len(parts), -1, -1):
            folders["/".join([point] + parts[:depth])] = None
    return list(folders)


def _is_there(tree: Tree, folder: str) -> bool:
    return bool(tree.names("root/" + folder)) or not_utf_8(tree, folder) is not None


def _places(mounts: Mounts, cgroup: str) -> List[Tuple[str, str]]:
    rows = cgroup_rows(cgroup)
    wanted = [(name, path) for _, controllers, path in rows for name in controllers.split(",") if name in _USEFUL + ("",)]
    return [(mounts.points[name], path.replace(" (deleted)", "")) for name, path in wanted if name in mounts.points]
