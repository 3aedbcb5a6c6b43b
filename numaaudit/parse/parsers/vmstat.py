"""``/proc/vmstat`` (kernel ``mm/vmstat.c``): counters of the whole host since boot."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class Vmstat(NamedTuple):
    """The counters about NUMA, named as the kernel names them. None: not in this kernel's version or configuration."""

    numa_hit: int | None  # pages; sums of the NUMA nodes' numastat
    numa_miss: int | None
    numa_foreign: int | None
    numa_interleave: int | None
    numa_local: int | None
    numa_other: int | None
    numa_pte_updates: int | None  # page table entries marked by NUMA balancing
    numa_hint_faults: int | None  # faults on marked entries
    numa_hint_faults_local: int | None  # of these, page on the faulting CPU's NUMA node
    numa_pages_migrated: int | None  # pages moved by NUMA balancing
    pgmigrate_success: int | None  # pages moved for any reason
    pgmigrate_fail: int | None
    pgpromote_success: int | None  # memory tiering
    pgdemote_kswapd: int | None
    pgdemote_direct: int | None
    zone_reclaim_success: int | None
    zone_reclaim_failed: int | None
    oom_kill: int | None


def parse(text: str) -> Vmstat:
    """Read ``key value`` lines; ParseError for a value that is no number, or if no counter is known."""
    values: dict[str, int] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(" ")
        if key in Vmstat._fields:
            values[key] = decimal(value, number)
    if not values:
        raise ParseError("no counter of /proc/vmstat")
    return Vmstat(*map(values.get, Vmstat._fields))


PARSER = Parser(parse, reads=("proc/vmstat",))
