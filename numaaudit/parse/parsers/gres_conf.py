"""``gres.conf`` (gres.conf(5)): which cores Slurm takes for near which device.

``NodeName=gpu[01-04] Name=gpu File=/dev/nvidia[0-3] Cores=0-15``; names of options may be in any case, and a line ends at ``#``.
``Cores`` are Slurm's own numbers: socket after socket, in each core after core, without threads.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import numbered
from numaaudit.parse.parser import Parser

_WORD = re.compile(r"([A-Za-z]\w{0,60})=(\S*)", re.A)
_BRACKETS = re.compile(r"([^\[\]]*)\[([\d,-]{1,200})\]([^\[\]]*)", re.A)
_COMMA = re.compile(r",(?![\d,-]{0,200}\])", re.A)  # not one inside of brackets
_MOST = 1024  # names of one expression


class GresLine(NamedTuple):
    """One resource. ``hosts`` empty: of every host that reads the file. ``cores`` None: not given."""

    name: str
    hosts: tuple[str, ...]
    files: tuple[str, ...]
    cores: CpuSet | None
    line: int


class GresConf(NamedTuple):
    """``autodetect``: ``nvml``, ``nvidia``, ``rsmi``, ...: then the driver's CPUs count; None: off, or not given."""

    autodetect: str | None
    lines: tuple[GresLine, ...]


def parse(text: str) -> GresConf:
    """ParseError for a list that is none; lines of something else are passed over, as redaction leaves some empty."""
    rows = [(number, {name.lower(): value for name, value in _WORD.findall(line.partition("#")[0])}) for number, line in numbered(text)]
    found = [row["autodetect"].lower() for _, row in rows if "autodetect" in row]
    return GresConf(
        next((word for word in found if word != "off"), None), tuple(_line(row, number) for number, row in rows if row.get("name"))
    )


def _line(row: dict[str, str], number: int) -> GresLine:
    cores = row.get("cores") or row.get("cpus")
    files = tuple(expand(row.get("file", ""), number))
    return GresLine(row["name"], tuple(expand(row.get("nodename", ""), number)), files, CpuSet.parse(cores) if cores else None, number)


def expand(expression: str, line: int | None = None) -> Iterator[str]:
    """The names of ``gpu[01-03,7],login``; those of more than one pair of brackets in a name are not read. ParseError."""
    for part in _COMMA.split(expression):
        brackets = _BRACKETS.fullmatch(part)
        if brackets:
            yield from (brackets[1] + number + brackets[3] for number in _numbers(brackets[2], line))
        elif part:
            yield part


def _numbers(text: str, line: int | None) -> Iterator[str]:
    """``01-03``: with the zeros of the first number."""
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) - int(first) >= _MOST:
            raise ParseError(f"not a list of names: {text:.40}", line)
        yield from (str(number).zfill(len(first)) for number in range(int(first), int(last or first) + 1))


PARSER = Parser(parse, reads=("etc/slurm/gres.conf", "run/slurm/conf/gres.conf"))
