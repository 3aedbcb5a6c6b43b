"""Lists of names with ranges in brackets, as Slurm writes hosts and device files (gres.conf(5), scontrol(1) show hostnames)."""

from __future__ import annotations

import re
from typing import Iterator, Optional

from numaaudit.core.errors import ParseError

_BRACKETS = re.compile(r"([^\[\]]*)\[([\d,-]{1,200})\]([^\[\]]*)", re.A)
_COMMA = re.compile(r",(?![\d,-]{0,200}\])", re.A)  # not one inside of brackets
_MOST = 1024  # names of one range
_MOST_NAMES = 65_536  # of one expression: a line has room for millions


def expand(expression: str, line: Optional[int] = None) -> Iterator[str]:
    """The names of ``gpu[01-03,7],login``; those of more than one pair of brackets in a name are not read. ParseError."""
    for number, name in enumerate(_expanded(expression, line)):
        if number >= _MOST_NAMES:
            raise ParseError("a list of more than %d names" % _MOST_NAMES, line)
        yield name


def _expanded(expression: str, line: Optional[int]) -> Iterator[str]:
    for part in _COMMA.split(expression):
        brackets = _BRACKETS.fullmatch(part)
        if brackets:
            yield from (brackets[1] + number + brackets[3] for number in _numbers(brackets[2], line))
        elif part:
            yield part


def _numbers(text: str, line: Optional[int]) -> Iterator[str]:
    """``01-03``: with the zeros of the first number."""
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) - int(first) >= _MOST:
            raise ParseError("not a list of names: %.40s" % text, line)
        yield from (str(number).zfill(len(first)) for number in range(int(first), int(last or first) + 1))
