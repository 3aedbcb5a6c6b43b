"""``/proc/interrupts`` (kernel ``kernel/irq/proc.c``, ``show_interrupts``; manual page proc_interrupts(5)).

The header names the online CPUs, whose numbers may have holes; each line has one count for each of them, then the chip, the
number there, the trigger, and the names of the handlers. Counts are since boot.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_CPU_ID, CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.fields import decimal
from numaaudit.parse.parser import Parser


class Interrupt(NamedTuple):
    """One numbered line. ``total`` and ``busiest_cpu`` are None where columns were left out; the latter also for no count."""

    irq: int
    total: int | None
    busiest_cpu: int | None
    counts: tuple[tuple[int, int], ...]  # (CPU, count) where it is not 0
    device: str  # all text behind the counts, blanks reduced: "IR-PCI-MSI 512000-edge eth0"
    actions: tuple[str, ...]  # the handlers' names; empty where they cannot be told from the rest
    pci_address: PciAddress | None  # where chip or handler names one


class Interrupts(NamedTuple):
    """The numbered lines in the order of the file. ``online_cpus`` None: columns were left out."""

    online_cpus: CpuSet | None
    lines: tuple[Interrupt, ...]

    def by_irq(self) -> dict[int, Interrupt]:
        return {line.irq: line for line in self.lines}


_ELIDED = ("...", "\u2026")
_ADDRESS = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7](?![0-9a-fA-F])")


def parse(text: str) -> Interrupts:
    """Read header and lines; ParseError without a header or for a line with fewer counts than CPUs.

    Lines without a number (NMI, LOC, ERR ...) are no device's and are left out, and so is a last line that was cut.
    """
    lines = text.rstrip("\0").split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    columns = [_column(word, start + 1) for word in lines[start].split()]
    if not columns or columns[0] is None:
        raise ParseError("no header of /proc/interrupts", start + 1)
    found = []
    for number, line in enumerate(lines[start + 1 :], start + 2):
        label, colon, rest = line.partition(":")
        label = label.strip()
        if colon and label.isascii() and label.isdigit():
            if number == len(lines) and len(rest.split()) <= len(columns):
                break
            found.append(_interrupt(decimal(label, number), rest, columns, number))
    cpus = [cpu for cpu in columns if cpu is not None]
    return Interrupts(CpuSet(cpus) if len(cpus) == len(columns) else None, tuple(found))


def _column(word: str, line: int) -> int | None:
    """The CPU of a column; None for dots that stand for columns left out by hand."""
    if word in _ELIDED:
        return None
    if not word.startswith("CPU") or decimal(word[3:], line) > MAX_CPU_ID:
        raise ParseError(f"not a CPU's column: {word:.40}", line)
    return int(word[3:])


def _interrupt(irq: int, rest: str, columns: list[int | None], line: int) -> Interrupt:
    words = rest.split(None, len(columns))
    device = words.pop() if len(words) > len(columns) else ""
    if len(words) != len(columns):
        raise ParseError(f"{len(words)} counts for {len(columns)} CPUs", line)
    counts = tuple((cpu, decimal(word, line)) for cpu, word in zip(columns, words, strict=True) if word != "0" and cpu is not None)
    is_whole = None not in columns
    busiest = max(counts, key=lambda pair: pair[1])[0] if counts and is_whole else None
    return Interrupt(
        irq,
        sum(count for _, count in counts) if is_whole else None,
        busiest,
        counts,
        " ".join(device.split()),
        _actions(device),
        _address(device),
    )


def _actions(device: str) -> tuple[str, ...]:
    """The kernel sets the handlers apart by two blanks and lists them with commas."""
    chip, blanks, actions = device.rstrip().rpartition("  ")
    return tuple(actions.split(", ")) if blanks and chip.strip() else ()


def _address(device: str) -> PciAddress | None:
    match = _ADDRESS.search(device)
    return PciAddress.parse(match[0]) if match else None


PARSER = Parser(parse, reads=("proc/interrupts",), looks_like=r"^[ \t]+CPU\d{1,5}(?=[ \t\n])")
