"""The mappings of a process whose pages are worth sampling, by kind, from ``/proc/PID/maps`` (proc_pid_maps(5)).

Reading it takes the mmap_lock, a few mappings at a time, and walks no page table. The kinds are those of core/page_kinds.py. Left out
are mappings without any access, which reserve addresses, and all other files and devices.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Set

from numaaudit.core.page_kinds import ANON, DRIVER, FILE, HUGETLB, NAMED_SHM, PINNED, SHM

_LINE = re.compile(
    r"^([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([r-][w-][x-][ps]) [0-9a-f]{1,16} ([0-9a-f]{1,8}:[0-9a-f]{1,8}) \d{1,20} *([^\n]*)$", re.M
)
_BY_NAME = (
    ("/anon_hugepage", HUGETLB),
    ("/dev/zero", PINNED),
    ("/memfd:", SHM),
    ("/dev/shm/", NAMED_SHM),
    ("/SYSV", NAMED_SHM),
    ("/dev/nvidiactl", DRIVER),
)
_KERNELS_OWN = ("[vdso]", "[vvar", "[vsyscall]", "[uprobes]")


class Mapping(NamedTuple):
    """Addresses from ``start`` up to ``end``."""

    start: int
    end: int
    kind: str


def mappings_of(maps: str, mountinfo: str = "") -> List[Mapping]:
    """The mappings of the kinds above. ``mountinfo`` (proc_pid_mountinfo(5)) tells which devices are a hugetlbfs."""
    found = [match.groups() for match in _LINE.finditer(maps)]
    huge = set(_hugetlbfs(mountinfo)) | {device for _, _, _, device, name in found if name.startswith("/anon_hugepage")}
    kinds = ((int(start, 16), int(end, 16), _kind(access, device, name, huge)) for start, end, access, device, name in found)
    return [Mapping(start, end, kind) for start, end, kind in kinds if kind is not None and start < end]


def _kind(access: str, device: str, name: str, huge: Set[str]) -> Optional[str]:
    if access.startswith("---") or name.startswith(_KERNELS_OWN):
        return None
    if device in huge:
        return HUGETLB
    if not name or name.startswith("["):
        return PINNED if name.startswith("[anon_shmem:") else ANON
    by_name = next((kind for start, kind in _BY_NAME if name.startswith(start)), None)
    if by_name is not None:
        return by_name
    is_file = name.startswith("/") and not name.startswith("/dev/")
    return FILE if is_file and access[1] == "w" and access[3] == "p" else None


def _hugetlbfs(mountinfo: str) -> Iterator[str]:
    """The devices of the mounted ones, written as in ``maps``: in hexadecimal, two digits at least."""
    for line in mountinfo.splitlines():
        fields, _, what = line.partition(" - ")
        match = re.match(r"\d{1,9} \d{1,9} (\d{1,9}):(\d{1,9}) ", fields)
        if match and what.startswith("hugetlbfs "):
            yield "%02x:%02x" % (int(match[1]), int(match[2]))
