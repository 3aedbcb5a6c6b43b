"""``cpu.stat`` of a cgroup, v1 and v2 (kernel ``kernel/sched/core.c``, ``cpu_cfs_stat_show``; cgroup-v2.rst).

The files lie at the path of a process's cgroup, so whoever knows that path reads them and calls ``parse``.
"""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class CgroupCpuStat(NamedTuple):
    """CPU time and throttling of a cgroup. None: not printed (v1, or no limit was ever set)."""

    usage_us: int | None  # usage_usec, v2
    nr_periods: int | None  # periods of the CPU limit (cpu.max, cpu.cfs_quota_us) in which something ran
    nr_throttled: int | None  # periods in which it ran out
    throttled_us: int | None  # throttled_usec, v1 throttled_time (ns): summed over CPUs


def parse(text: str) -> CgroupCpuStat:
    """Read ``key value`` lines; ParseError for a value that is no number, or if no key is known."""
    values: dict[str, int] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(" ")
        values[key] = decimal(value, number)
    throttled_us = values["throttled_time"] // 1000 if "throttled_time" in values else values.get("throttled_usec")
    stat = CgroupCpuStat(values.get("usage_usec"), values.get("nr_periods"), values.get("nr_throttled"), throttled_us)
    if set(stat) == {None}:
        raise ParseError("no key of cpu.stat")
    return stat


PARSER = Parser(parse, reads=())
