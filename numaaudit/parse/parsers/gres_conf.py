"""``gres.conf`` (gres.conf(5)): which cores Slurm takes for near which device.

``NodeName=gpu[01-04] Name=gpu File=/dev/nvidia[0-3] Cores=0-15``; names of options may be in any case, and a line ends at ``#``.
``Cores`` are Slurm's own numbers: socket after socket, in each core after core, without threads.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.hostlist import expand
from numaaudit.parse.fields import numbered
from numaaudit.parse.parser import Parser

_WORD = re.compile(r"([A-Za-z]\w{0,60})=(\S*)", re.A)
_MOST_NAMES = 1 << 18  # of hosts and files, in all lines


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
    return GresConf(next((word for word in found if word != "off"), None), tuple(_lines(rows)))


def _lines(rows: list[tuple[int, dict[str, str]]]) -> Iterator[GresLine]:
    names = 0
    for number, row in rows:
        if row.get("name"):
            line = _line(row, number)
            names += len(line.hosts) + len(line.files)
            if names > _MOST_NAMES:
                raise ParseError(f"more than {_MOST_NAMES} names", number)
            yield line


def _line(row: dict[str, str], number: int) -> GresLine:
    cores = row.get("cores") or row.get("cpus")
    files = tuple(expand(row.get("file", ""), number))
    return GresLine(row["name"], tuple(expand(row.get("nodename", ""), number)), files, CpuSet.parse(cores) if cores else None, number)


PARSER = Parser(parse, reads=("etc/slurm/gres.conf", "run/slurm/conf/gres.conf"))
