"""Lines of the kernel's log that bear on placement: the OOM killer (``mm/oom_kill.c``) and NVIDIA's Xid (kernel module NVRM).

``oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1,cpuset=/,...,task=python3,pid=900,uid=0`` (Linux 4.19 and later) and
``Out of memory: Killed process 900 (python3) total-vm:...kB, anon-rss:...kB``;
``NVRM: Xid (PCI:0000:17:00): 79, pid=..., GPU has fallen off the bus.``
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.claim import log_lines
from numaaudit.parse.parser import Parser

_OOM = re.compile(
    r"oom-kill:constraint=(CONSTRAINT_[A-Z_]{1,40}),nodemask=([\d,()a-z-]{1,4096}?)(?:,cpuset=|,mems_allowed=|,task|\s|$)", re.A
)
_TASK = re.compile(r"\btask=([^,\n]{1,64})(?:,pid=(\d{1,9}))?", re.A)
_KILLED = re.compile(r"[Kk]illed process (\d{1,9}) \(([^)\n]{1,64})\)[^\n]{0,80}?anon-rss:(\d{1,15})kB", re.A)
_XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:.]{7,16})\): (\d{1,4})\b", re.A)
_LOOKS_LIKE = (r"oom-kill:constraint=CONSTRAINT_", r"[Kk]illed process \d{1,9} \(", r"NVRM: Xid \(PCI:")


class OomKill(NamedTuple):
    """One kill. ``constraint`` is the kernel's word; ``numa_nodes`` those the allocation was confined to, None for none."""

    constraint: str  # CONSTRAINT_NONE, _CPUSET, _MEMORY_POLICY, _MEMCG
    numa_nodes: NodeSet | None  # nodemask
    comm: str | None
    pid: int | None
    anon_rss_bytes: int | None
    line: int


class Xid(NamedTuple):
    """One error that the driver reports of a GPU; numbers are in NVIDIA's "Xid Errors"."""

    pci_address: PciAddress | None
    number: int
    line: int


class KernelLog(NamedTuple):
    """What is of interest, in order of line; both empty for a log of something else."""

    oom_kills: tuple[OomKill, ...]
    xids: tuple[Xid, ...]


def parse(text: str) -> KernelLog:
    """Read the known lines; any text is a log."""
    if "oom-kill:" not in text and "NVRM: Xid" not in text:
        return KernelLog((), ())
    lines = text.split("\n")
    return KernelLog(tuple(_oom_kills(lines)), tuple(_xids(lines)))


def _oom_kills(lines: list[str]) -> Iterator[OomKill]:
    """A kill, with the size that the line about the killed process gives."""
    sizes = {killed[1]: int(killed[3]) << 10 for line in lines if "illed process" in line and (killed := _KILLED.search(line))}
    names = {killed[2]: killed[1] for line in lines if "illed process" in line and (killed := _KILLED.search(line))}
    for number, line in enumerate(lines, 1):
        oom = _OOM.search(line)
        if not oom:
            continue
        task = _TASK.search(line)
        pid = (task[2] or names.get(task[1])) if task else None
        yield OomKill(oom[1], _nodes(oom[2]), task[1] if task else None, int(pid) if pid else None, sizes.get(pid or ""), number)


def _xids(lines: list[str]) -> Iterator[Xid]:
    for number, line in enumerate(lines, 1):
        xid = _XID.search(line) if "NVRM" in line else None
        if xid:
            yield Xid(_address(xid[1]), int(xid[2]), number)


def _nodes(text: str) -> NodeSet | None:
    try:
        return NodeSet.parse(text)
    except ParseError:  # (null): not confined
        return None


def _address(text: str) -> PciAddress | None:
    """``0000:17:00``: the driver leaves the function out."""
    try:
        return PciAddress.parse(text if "." in text else f"{text}.0")
    except ParseError:
        return None


PARSER = Parser(parse, reads=("logs/*",), looks_like=log_lines(*_LOOKS_LIKE))
