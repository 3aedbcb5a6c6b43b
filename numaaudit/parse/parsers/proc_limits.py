"""``/proc/PID/limits`` (kernel ``fs/proc/base.c``, ``proc_pid_limits``; manual page proc_pid_limits(5))."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class ResourceLimit(NamedTuple):
    """One resource limit; None is ``unlimited``."""

    name: str  # "Max locked memory"
    soft: int | None
    hard: int | None
    unit: str  # "bytes"; empty where the kernel prints none


class ProcLimits(NamedTuple):
    """The resource limits of a process (getrlimit(2))."""

    limits: tuple[ResourceLimit, ...]

    def get(self, name: str) -> ResourceLimit | None:
        """The limit of that name; None: this kernel has no such limit."""
        return next((limit for limit in self.limits if limit.name == name), None)


# The kernel prints "%-25s %-20s %-20s %-10s"; names hold single blanks, so the columns are told apart by two or more.
_ROW = re.compile(r"(Max [a-z ]{1,40}?) {2,}(unlimited|\d{1,20}) +(unlimited|\d{1,20}) *([a-z]{0,20})")


def parse(text: str) -> ProcLimits:
    """Read the table; ParseError for a row that is none or if there is no row."""
    rows = tuple(_limit(line, number) for number, line in numbered(text) if not line.startswith("Limit "))
    if not rows:
        raise ParseError("no limits")
    return ProcLimits(rows)


def _limit(line: str, number: int) -> ResourceLimit:
    match = _ROW.fullmatch(line)
    if not match:
        raise ParseError("not a limit", number)
    soft, hard = (None if value == "unlimited" else decimal(value, number) for value in match.group(2, 3))
    return ResourceLimit(match[1], soft, hard, match[4])


PARSER = Parser(parse, reads=("proc/[0-9]*/limits",), looks_like=r"^Limit +Soft Limit +Hard Limit")
