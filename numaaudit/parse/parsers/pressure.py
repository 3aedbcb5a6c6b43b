"""``/proc/pressure/{cpu,io,memory,irq}`` and a cgroup's ``*.pressure`` (kernel ``kernel/sched/psi.c``; accounting/psi.rst)."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class Stall(NamedTuple):
    """Share of time in which tasks waited, in percent over 10, 60 and 300 s, and the sum since boot."""

    avg10: float
    avg60: float
    avg300: float
    total_us: int


class Pressure(NamedTuple):
    """``some``: at least one task waited; ``full``: all did (None where the kernel does not print it)."""

    some: Stall | None
    full: Stall | None


_LINE = re.compile(r"(some|full) avg10=(\d{1,3}\.\d{2}) avg60=(\d{1,3}\.\d{2}) avg300=(\d{1,3}\.\d{2}) total=(\d{1,20})", re.A)


def parse(text: str) -> Pressure:
    """Read one or two lines; ParseError for any other."""
    stalls: dict[str, Stall] = {}
    for number, line in numbered(text):
        match = _LINE.fullmatch(line)
        if not match:
            raise ParseError("not a line of pressure stall information", number)
        stalls[match[1]] = Stall(float(match[2]), float(match[3]), float(match[4]), decimal(match[5], number))
    if not stalls:
        raise ParseError("no pressure stall information")
    return Pressure(stalls.get("some"), stalls.get("full"))


PARSER = Parser(parse, reads=("proc/pressure/*",))
