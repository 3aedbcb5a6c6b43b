"""Lines of the kernel's log that bear on placement: the OOM killer (``mm/oom_kill.c``), NVIDIA's Xid (kernel module NVRM), errors of
PCI Express (``drivers/pci/pcie/aer.c``), and which hypervisor the kernel found (``arch/x86/kernel/cpu/hypervisor.c``).

``oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1,cpuset=/,...,task=python3,pid=900,uid=0`` (Linux 4.19 and later) and
``Out of memory: Killed process 900 (python3) total-vm:...kB, anon-rss:...kB``;
``NVRM: Xid (PCI:0000:17:00): 79, pid=..., GPU has fallen off the bus.``
``pcieport 0000:16:01.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)``
``Hypervisor detected: KVM``; of Firecracker and gVisor ``ACPI: RSDP ... (v02 FIRECK)`` and ``Starting gVisor...``.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.claim import log_lines
from numaaudit.parse.parser import Command, Parser

CONSTRAINT_CPUSET = "CONSTRAINT_CPUSET"
CONSTRAINT_MEMORY_POLICY = "CONSTRAINT_MEMORY_POLICY"
_OOM = re.compile(
    r"oom-kill:constraint=(CONSTRAINT_[A-Z_]{1,40}),nodemask=([\d,()a-z-]{1,4096}?)(?:,cpuset=|,mems_allowed=|,task|\s|$)", re.A
)
_MEMS_ALLOWED = re.compile(r",mems_allowed=([\d,-]{1,4096}?)(?:,[a-z_]|\s|$)", re.A)
_TASK = re.compile(r"\btask=([^,\n]{1,64})(?:,pid=(\d{1,9}))?", re.A)
_KILLED = re.compile(r"[Kk]illed process (\d{1,9}) \(([^)\n]{1,64})\)[^\n]{0,80}?anon-rss:(\d{1,15})kB", re.A)
_XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:.]{7,16})\): (\d{1,4})\b", re.A)
_AER = re.compile(r"\b([0-9a-f:]{7,13}\.[0-7]): (?:AER: )?PCIe Bus Error: severity=([A-Za-z (-]{1,40})", re.A)
_FIRECRACKER = re.compile(r"ACPI: RSDP [\w ()]{1,60} FIRECK", re.A)
_DETECTED = re.compile(r"Hypervisor detected: ([^\n\r]{1,40})")
_LOOKS_LIKE = (r"oom-kill:constraint=CONSTRAINT_", r"[Kk]illed process \d{1,9} \(", r"NVRM: Xid \(PCI:", r"PCIe Bus Error: severity=")


class OomKill(NamedTuple):
    """One kill. ``constraint`` is the kernel's word; ``numa_nodes`` those the allocation was confined to, None for none."""

    constraint: str  # CONSTRAINT_NONE, _CPUSET, _MEMORY_POLICY, _MEMCG
    numa_nodes: NodeSet | None  # nodemask; of a cpuset without one mems_allowed
    comm: str | None
    pid: int | None
    anon_rss_bytes: int | None
    line: int


class Xid(NamedTuple):
    """One error that the driver reports of a GPU; numbers are in NVIDIA's "Xid Errors"."""

    pci_address: PciAddress | None
    number: int
    line: int


class BusError(NamedTuple):
    """One error on a PCI Express link, as the device at one end of it reports."""

    pci_address: PciAddress | None
    is_corrected: bool  # the link repeated what was lost; "Correctable" since Linux 6.8
    line: int


class KernelLog(NamedTuple):
    """What is of interest, in order of line; all empty for a log of something else."""

    oom_kills: tuple[OomKill, ...]
    xids: tuple[Xid, ...]
    bus_errors: tuple[BusError, ...] = ()
    hypervisor: str | None = None  # KVM, Firecracker, gVisor, ...; None: the log does not say


def parse(text: str) -> KernelLog:
    """Read the known lines; any text is a log."""
    lines = text.split("\n") if any(mark in text for mark in ("oom-kill:", "NVRM: Xid", "PCIe Bus Error")) else []
    return KernelLog(tuple(_oom_kills(lines)), tuple(_xids(lines)), tuple(_bus_errors(lines)), _hypervisor(text))


def _oom_kills(lines: list[str]) -> Iterator[OomKill]:
    """A kill, with the size that the line about the killed process gives."""
    sizes = {killed[1]: int(killed[3]) << 10 for line in lines if "illed process" in line and (killed := _KILLED.search(line))}
    names = {killed[2]: killed[1] for line in lines if "illed process" in line and (killed := _KILLED.search(line))}
    for number, line in enumerate(lines, 1):
        oom = _OOM.search(line)
        if not oom:
            continue
        nodes, mems, task = _nodes(oom[2]), _MEMS_ALLOWED.search(line), _TASK.search(line)
        if nodes is None and mems and oom[1] == CONSTRAINT_CPUSET:
            nodes = _nodes(mems[1])
        pid = (task[2] or names.get(task[1])) if task else None
        yield OomKill(oom[1], nodes, task[1] if task else None, int(pid) if pid else None, sizes.get(pid or ""), number)


def _xids(lines: list[str]) -> Iterator[Xid]:
    for number, line in enumerate(lines, 1):
        xid = _XID.search(line) if "NVRM" in line else None
        if xid:
            yield Xid(_address(xid[1]), int(xid[2]), number)


def _bus_errors(lines: list[str]) -> Iterator[BusError]:
    for number, line in enumerate(lines, 1):
        error = _AER.search(line) if "PCIe Bus Error" in line else None
        if error:
            yield BusError(_address(error[1]), error[2].startswith("Correct"), number)


def _hypervisor(text: str) -> str | None:
    if "Starting gVisor" in text:
        return "gVisor"
    if "FIRECK" in text and _FIRECRACKER.search(text):
        return "Firecracker"
    detected = _DETECTED.search(text) if "Hypervisor detected" in text else None
    return detected[1].strip() if detected else None


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


PARSER = Parser(parse, reads=("logs/*", Command(("dmesg",))), looks_like=log_lines(*_LOOKS_LIKE))
