"""``/proc/version`` (kernel ``fs/proc/version.c``): which kernel runs."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Parser


class KernelVersion(NamedTuple):
    """``release`` is what ``uname -r`` prints; ``numbers`` are for comparing: (6, 8, 0)."""

    release: str
    numbers: tuple[int, ...]


_LINE = re.compile(r"Linux version ((\d{1,4}(?:\.\d{1,6}){1,3})[^\s(]{0,200})", re.A)


def parse(text: str) -> KernelVersion:
    """ParseError for any other text. A distribution's kernel may hold changes of later versions."""
    match = _LINE.match(text.lstrip())
    if not match:
        raise ParseError("not a kernel version", 1)
    return KernelVersion(match[1], tuple(map(int, match[2].split("."))))


PARSER = Parser(parse, reads=("proc/version",), looks_like=r"^Linux version \d")
