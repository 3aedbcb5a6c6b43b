"""Decoders of /proc texts that collecting and parsing both need (manual pages proc_pid_status(5), proc_pid_stat(5))."""

from __future__ import annotations

import re
from typing import Dict, NamedTuple, Optional, Tuple

from numaaudit.core.errors import ParseError


class Stat(NamedTuple):
    """The fields of ``/proc/PID/stat`` that matter here; times in clock ticks, ``start_ticks`` since boot."""

    pid: int
    comm: str
    state: str
    ppid: int
    utime_ticks: int
    stime_ticks: int
    num_threads: int
    start_ticks: int
    last_cpu: Optional[int]  # field 39; absent before Linux 2.2.8 and in cut texts


def parse_stat(text: str) -> Stat:
    """Decode ``/proc/PID/stat``. The command may hold blanks and parentheses, so the last ``)`` ends it."""
    head, bracket, tail = text.rpartition(")")
    pid, opening, comm = head.partition(" (")
    fields = tail.split()
    try:
        if not bracket or not opening or len(fields) < 20:
            raise ValueError("too few fields")
        return Stat(
            int(pid),
            comm,
            fields[0],
            int(fields[1]),
            int(fields[11]),
            int(fields[12]),
            int(fields[17]),
            int(fields[19]),
            int(fields[36]) if len(fields) > 36 else None,
        )
    except ValueError as error:
        raise ParseError("not a stat line: %s" % error) from None


_STATUS = re.compile(r"^([A-Za-z_]+):[ \t]*(.*?)[ \t]*$", re.M)


def parse_status(text: str) -> Dict[str, str]:
    """Key to value text of ``/proc/PID/status``, whose lines are ``Key:<tab>value``."""
    return dict(_STATUS.findall(text))


def is_id(name: str) -> bool:
    """Whether a name in ``/proc`` or ``task`` can be that of a process or thread; ``²`` is a digit too, but no number."""
    return name.isascii() and name.isdigit() and len(name) < 10


def parse_cgroup(text: str) -> Tuple[Tuple[str, ...], ...]:
    """``/proc/PID/cgroup`` as (hierarchy, controllers, path); a path may itself hold ``:`` (cgroups(7))."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        parts = tuple(line.split(":", 2))
        if len(parts) != 3:
            raise ParseError("not hierarchy:controllers:path", number)
        rows.append(parts)
    return tuple(rows)


def cgroup_rows(text: str) -> Tuple[Tuple[str, ...], ...]:
    """The same; none of a text that is damaged."""
    try:
        return parse_cgroup(text)
    except ParseError:
        return ()
