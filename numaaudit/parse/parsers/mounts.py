"""``/proc/mounts`` (kernel ``fs/proc_namespace.c``; manual pages proc_pid_mounts(5) and fstab(5))."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import numbered
from numaaudit.parse.parser import Parser


class Mount(NamedTuple):
    """One mounted file system."""

    source: str
    target: str
    kind: str  # cgroup2, hugetlbfs, fuse.lxcfs
    options: tuple[str, ...]  # "rw", "cpuset", "pagesize=1024M"


class Mounts(NamedTuple):
    """All of them, in the order they were mounted."""

    mounts: tuple[Mount, ...]

    def of_kind(self, kind: str) -> tuple[Mount, ...]:
        return tuple(mount for mount in self.mounts if mount.kind == kind)


_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


def parse(text: str) -> Mounts:
    """Read the lines; ParseError for one with fewer than four fields. Blanks in names come as \\040 and are decoded."""
    return Mounts(tuple(_mount(line, number) for number, line in numbered(text)))


def _mount(line: str, number: int) -> Mount:
    words = line.split(" ")
    if len(words) < 4:
        raise ParseError("not a mount", number)
    source, target, kind, options = (_OCTAL.sub(lambda match: chr(int(match[1], 8)), word) for word in words[:4])
    return Mount(source, target, kind, tuple(options.split(",")))


PARSER = Parser(parse, reads=("proc/mounts", "proc/self/mounts"))
