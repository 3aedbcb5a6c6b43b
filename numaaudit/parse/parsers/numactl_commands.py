"""numactl command lines in a log, as launchers print them, and whether the lines below say that it failed (numactl(8)).

``worker 0: numactl --cpunodebind=2 --membind=2 python app.py`` and then ``sched_setaffinity: Invalid argument``.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.parse.claim import cpus_in, log_lines, mems_in
from numaaudit.parse.parser import Parser
from numaaudit.parse.text import lines_of

MOST_LINES_BELOW = 3  # between a command and its error
_COMMAND = re.compile(r"\bnumactl((?: +-{1,2}[a-zA-Z-]{1,20}(?:=\S{1,200}| +[\d,-]{1,200}|))+)", re.A)
_OPTION = re.compile(r"-{1,2}([a-zA-Z-]{1,20})(?:=(\S{1,200})| +([\d,-]{1,200})|)", re.A)
_FAILED = re.compile(
    r"sched_setaffinity: |numa_sched_setaffinity|set_mempolicy: |setting membind: |libnuma: Warning: (?:cpu|node) argument|"
    r"<[\d,-]{1,200}> is invalid"
)
_CPUS, _CPU_NODES, _MEMS = ("C", "physcpubind"), ("N", "cpunodebind"), ("m", "membind")


class NumactlCommand(NamedTuple):
    """One command line. Sets are None for an option that is not there, or is not a plain list (``all``, ``+0``, ``!1``)."""

    cpus: CpuSet | None  # --physcpubind
    cpu_nodes: NodeSet | None  # --cpunodebind
    mems: NodeSet | None  # --membind
    failure: str | None  # the first line below that says it failed
    line: int
    failure_line: int | None


class NumactlCommands(NamedTuple):
    """Those of one log."""

    commands: tuple[NumactlCommand, ...]


def parse(text: str) -> NumactlCommands:
    """Every command line that binds; any text is a log."""
    return NumactlCommands(tuple(_commands(lines_of(text))) if "numactl" in text else ())


def _commands(lines: list[str]) -> Iterator[NumactlCommand]:
    for at, line in enumerate(lines):
        match = _COMMAND.search(line) if "numactl" in line else None
        options = {name: joined or apart for name, joined, apart in _OPTION.findall(match[1])} if match else {}
        cpus, nodes, mems = (_value(options, names) for names in (_CPUS, _CPU_NODES, _MEMS))
        if cpus or nodes or mems:
            failed = _failure(lines, at)
            yield NumactlCommand(
                cpus_in(cpus),
                mems_in(nodes),
                mems_in(mems),
                lines[failed].strip() if failed else None,
                at + 1,
                failed + 1 if failed else None,
            )


def _value(options: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((options[name] for name in names if options.get(name)), None)


def _failure(lines: list[str], at: int) -> int | None:
    """The line number of the next error, unless another command comes first."""
    for below in range(at + 1, min(at + 1 + MOST_LINES_BELOW, len(lines))):
        if "numactl -" in lines[below]:
            return None
        if _FAILED.search(lines[below]):
            return below
    return None


PARSER = Parser(parse, reads=("logs/*",), looks_like=log_lines(r"\bnumactl -{1,2}(?:[CNm]|physcpubind|cpunodebind|membind)\b"))
