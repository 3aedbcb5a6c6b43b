"""``memory.numa_stat`` of a cgroup, v1 and v2 (kernel ``mm/memcontrol.c`` and ``mm/memcontrol-v1.c``; cgroup-v2.rst).

v2 prints ``anon N0=8192 N1=0`` in bytes, v1 ``total=12 N0=10 N1=2`` in pages. Memory is charged to the cgroup that touched
it first; hugetlb pages are not in it. The files lie at the path of a process's cgroup, so whoever knows that path reads them
and calls ``parse``.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class NumaStatRow(NamedTuple):
    """One kind of memory."""

    name: str  # anon, file, shmem; v1: total, file, anon, unevictable, hierarchical_total
    by_node: tuple[tuple[int, int], ...]  # NUMA node, amount


class CgroupNumaStat(NamedTuple):
    """The rows. ``unit`` is ``bytes`` (v2) or ``pages`` (v1: of the base page size, which the file does not tell)."""

    unit: str
    rows: tuple[NumaStatRow, ...]

    def by_node(self, name: str) -> dict[int, int] | None:
        """The amounts of one row; None: no such row."""
        return next((dict(row.by_node) for row in self.rows if row.name == name), None)


_NAME = re.compile(r"([a-z_0-9]{1,40})(?:=(\d{1,20}))?", re.A)
_AMOUNT = re.compile(r"N(\d{1,4})=(\d{1,20})", re.A)


def parse(text: str) -> CgroupNumaStat:
    """Read every row; ParseError for one of another form, for a mix of both versions, or if there is none."""
    rows, units = [], set()
    for number, line in numbered(text):
        head, *words = line.split(" ")
        name = _NAME.fullmatch(head)
        if not name:
            raise ParseError("not a row of memory.numa_stat", number)
        units.add("pages" if name[2] else "bytes")
        rows.append(NumaStatRow(name[1], tuple(_amount(word, number) for word in words)))
    if len(units) != 1:
        raise ParseError("no rows of one version of memory.numa_stat")
    return CgroupNumaStat(units.pop(), tuple(rows))


def _amount(word: str, line: int) -> tuple[int, int]:
    match = _AMOUNT.fullmatch(word)
    if not match or int(match[1]) > MAX_NUMA_NODE_ID:
        raise ParseError(f"not an amount on a NUMA node: {word:.40}", line)
    return int(match[1]), decimal(match[2], line)


PARSER = Parser(parse, reads=())
