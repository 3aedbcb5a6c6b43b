"""``/proc/PID/cgroup`` (kernel ``kernel/cgroup/cgroup.c``, ``proc_cgroup_show``; manual page cgroups(7))."""

from typing import NamedTuple

from numaaudit.core.procfs import parse_cgroup
from numaaudit.parse.fields import decimal
from numaaudit.parse.parser import Parser

_DELETED = " (deleted)"


class CgroupMembership(NamedTuple):
    """One line. ``controllers`` is empty for cgroup v2; ``name=systemd`` is a v1 hierarchy without a controller."""

    hierarchy: int
    controllers: tuple[str, ...]
    path: str  # as seen from the reader's cgroup namespace: "/" or "/../.." inside a container
    is_deleted: bool


class ProcCgroup(NamedTuple):
    """All cgroups of a process: one line on a v2 host, one for each hierarchy otherwise."""

    memberships: tuple[CgroupMembership, ...]

    def path_of(self, controller: str) -> str | None:
        """The v1 path of a controller such as ``cpuset``; None if no v1 hierarchy has it."""
        return next((member.path for member in self.memberships if controller in member.controllers), None)

    @property
    def unified_path(self) -> str | None:
        """The cgroup v2 path; None on a pure v1 host."""
        return next((member.path for member in self.memberships if member.hierarchy == 0 and not member.controllers), None)


def parse(text: str) -> ProcCgroup:
    """Read ``hierarchy:controllers:path`` lines; ParseError for any other. An empty file (a zombie's) has none."""
    rows = parse_cgroup(text.strip("\0"))
    return ProcCgroup(tuple(_membership(row, number) for number, row in enumerate(rows, 1)))


def _membership(row: tuple[str, ...], line: int) -> CgroupMembership:
    hierarchy, controllers, path = row
    return CgroupMembership(
        decimal(hierarchy, line), tuple(controllers.split(",")) if controllers else (), path.removesuffix(_DELETED), path.endswith(_DELETED)
    )


PARSER = Parser(parse, reads=("proc/[0-9]*/cgroup",))
