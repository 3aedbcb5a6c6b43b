"""Groups of CPUs that only launchers look at: those of one last-level cache and, on s390x, of one book.

Sources: ``/sys/devices/system/cpu/cpuN/cache/indexM`` (Documentation/ABI/testing/sysfs-devices-system-cpu) and
``topology/book_id`` (Documentation/admin-guide/cputopology.rst), else the BOOK column of ``lscpu -e``.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import CPU, int_at, list_at
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.lscpu_extended import LscpuExtended


class CpuGroups(NamedTuple):
    """Both empty where no source lists them; caches ascend by their lowest CPU, books by their number."""

    last_level_caches: tuple[CpuSet, ...]
    books: tuple[CpuSet, ...]


def join(tree: Tree, tables: tuple[Found[LscpuExtended], ...]) -> CpuGroups:
    """Read every CPU's highest cache that holds data, and its book."""
    numbers = sorted(int(name[3:]) for name in tree.names(CPU) if re.fullmatch(r"cpu\d{1,5}", name))
    books = _books(tree, numbers) or {row.cpu: row.book for found in tables for row in found.record.cpus if row.book is not None}
    return CpuGroups(_last_level_caches(tree, numbers), _by_number(books))


def _books(tree: Tree, numbers: list[int]) -> dict[int, int]:
    if not tree.glob(f"{CPU}/cpu[0-9]*/topology/book_id"):
        return {}
    return {cpu: book for cpu in numbers if (book := int_at(tree, f"{CPU}/cpu{cpu}/topology/book_id")) is not None}


def _last_level_caches(tree: Tree, numbers: list[int]) -> tuple[CpuSet, ...]:
    """A CPU that is in the list of another has the same cache, and is not looked at."""
    caches: list[CpuSet] = []
    for cpu in numbers:
        cache = None if any(cpu in known for known in caches) else _last_level_cache(tree, cpu)
        if cache:
            caches.append(cache)
    return tuple(sorted(caches, key=min))


def _last_level_cache(tree: Tree, cpu: int) -> CpuSet | None:
    folder = f"{CPU}/cpu{cpu}/cache"
    levels = [
        (level, name)
        for name in tree.names(folder)
        if name.startswith("index")
        and (level := int_at(tree, f"{folder}/{name}/level")) is not None
        and tree.text(f"{folder}/{name}/type") != "Instruction"
    ]
    return list_at(tree, f"{folder}/{max(levels)[1]}/shared_cpu_list") if levels else None


def _by_number(numbers: dict[int, int]) -> tuple[CpuSet, ...]:
    return tuple(CpuSet(cpu for cpu, number in numbers.items() if number == each) for each in sorted(set(numbers.values())))


JOINER = Joiner(join)
