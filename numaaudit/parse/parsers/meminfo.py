"""``/proc/meminfo`` (kernel ``fs/proc/meminfo.c``; manual page proc_meminfo(5))."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import hugepages, kib, numbered
from numaaudit.parse.parser import Parser


class Meminfo(NamedTuple):
    """Memory of the host. None: this kernel does not print the line. Page counts are of the default huge page size."""

    total_bytes: int | None  # MemTotal
    free_bytes: int | None  # MemFree
    available_bytes: int | None  # MemAvailable, Linux 3.14
    page_cache_bytes: int | None  # Cached
    anon_bytes: int | None  # AnonPages
    shmem_bytes: int | None  # Shmem
    anon_huge_bytes: int | None  # AnonHugePages: transparent huge pages
    locked_bytes: int | None  # Mlocked
    swap_total_bytes: int | None  # SwapTotal
    swap_free_bytes: int | None  # SwapFree
    hugepage_bytes: int | None  # Hugepagesize: the default size
    hugepages_total: int | None  # HugePages_Total
    hugepages_free: int | None  # HugePages_Free
    hugepages_reserved: int | None  # HugePages_Rsvd
    hugepages_surplus: int | None  # HugePages_Surp
    hugetlb_bytes: int | None  # Hugetlb: of all sizes, Linux 4.15


_FIELDS = {
    "MemTotal": "total_bytes", "MemFree": "free_bytes", "MemAvailable": "available_bytes", "Cached": "page_cache_bytes",
    "AnonPages": "anon_bytes", "Shmem": "shmem_bytes", "AnonHugePages": "anon_huge_bytes", "Mlocked": "locked_bytes",
    "SwapTotal": "swap_total_bytes", "SwapFree": "swap_free_bytes", "Hugepagesize": "hugepage_bytes",
    "HugePages_Total": "hugepages_total", "HugePages_Free": "hugepages_free", "HugePages_Rsvd": "hugepages_reserved",
    "HugePages_Surp": "hugepages_surplus", "Hugetlb": "hugetlb_bytes",
}  # fmt: skip


def parse(text: str) -> Meminfo:
    """Read the known lines; ParseError if there is none or a value is no size."""
    values: dict[str, int | None] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(":")
        field = _FIELDS.get(key)
        if field:
            read = hugepages if field.startswith("hugepages_") else kib
            values[field] = read(value.strip(), number)
    if not values:
        raise ParseError("no line of /proc/meminfo")
    return Meminfo(*map(values.get, Meminfo._fields))


PARSER = Parser(parse, reads=("proc/meminfo",), looks_like=r"^MemTotal:[ \t]+\d+ kB")
