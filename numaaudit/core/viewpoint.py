"""What cannot be seen from where evidence was collected: a container shows the host's processes, cgroups and files in part.

The host's own namespaces have fixed inode numbers (kernel ``include/linux/proc_ns.h``: PROC_PID_INIT_INO, PROC_CGROUP_INIT_INO); any
other number is that of a namespace made later. lxcfs and container runtimes mount over files of /proc and /sys.
"""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

_HIDDEN = (
    ("pid", 0xEFFFFFFC, "processes outside of this PID namespace"),
    ("cgroup", 0xEFFFFFFB, "cgroups above its own, and what they limit"),
)
_MOST_FILES = 6


def is_contained(namespaces: Mapping[str, Any]) -> bool:
    """Whether links of ``/proc/self/ns`` (``pid:[4026531836]``) are those of a container; False where they are not known."""
    return any(_is_own(namespaces, name, number) for name, number, _ in _HIDDEN)


def unseen(namespaces: Mapping[str, Any], mounts: Sequence[Tuple[str, str]]) -> List[str]:
    """What a collector with these namespaces could not see, for people; nothing for the host's own view.

    ``mounts``: type and mount point of each line of ``/proc/mounts``.
    """
    hidden = [what for name, number, what in _HIDDEN if _is_own(namespaces, name, number)]
    stood_in = _mounted_over(mounts, "fuse.lxcfs")
    masked = _mounted_over(mounts, "tmpfs") if hidden else []
    hidden += ["the host's own %s: lxcfs stands in for it" % _some(stood_in)] if stood_in else []
    hidden += ["%s: masked by the container's runtime" % _some(masked)] if masked else []
    return hidden


def has_lxcfs(mounts: Sequence[Tuple[str, str]]) -> bool:
    """Whether lxcfs stands in for files of /proc or /sys; on a host that runs it for others it is mounted elsewhere."""
    return bool(_mounted_over(mounts, "fuse.lxcfs"))


def _is_own(namespaces: Mapping[str, Any], name: str, number: int) -> bool:
    link = namespaces.get(name)
    return isinstance(link, str) and link.startswith(name + ":[") and link != "%s:[%d]" % (name, number)


def _mounted_over(mounts: Sequence[Tuple[str, str]], kind: str) -> List[str]:
    """Mount points of a type below /proc and /sys, but not the folder of v1 cgroups, which is one on every host."""
    points = [point for each, point in mounts if each == kind and point.startswith(("/proc/", "/sys/"))]
    return [point for point in points if point != "/sys/fs/cgroup"]


def _some(points: List[str]) -> str:
    return ", ".join(points[:_MOST_FILES]) + (" and %d more" % (len(points) - _MOST_FILES) if len(points) > _MOST_FILES else "")
