"""``/proc/cpuinfo`` (kernel ``arch/*/kernel``, each with its own words).

``processor : 0`` blocks on x86, arm, ppc, riscv, loongarch and ia64; ``processor 0: version = ..`` or ``cpu number : 0`` on
s390; ``CPU0: online`` on sparc. It lists online CPUs only. Inside an lxcfs container the numbers are not the kernel's.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_CPU_ID, CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal
from numaaudit.parse.parser import Parser


class CpuinfoCpu(NamedTuple):
    """One online CPU; None where the architecture does not print it."""

    cpu: int
    package_id: int | None  # physical id, loongarch: package
    core_id: int | None  # core id, loongarch: core; unique only within the package


class Cpuinfo(NamedTuple):
    """All online CPUs, in the order of the file."""

    cpus: tuple[CpuinfoCpu, ...]
    model_name: str | None  # of the first CPU
    vendor: str | None
    is_virtual: bool | None  # x86: the flag "hypervisor"; None on other architectures

    @property
    def online(self) -> CpuSet:
        return CpuSet(cpu.cpu for cpu in self.cpus)


_PACKAGE, _CORE = ("physical id", "package"), ("core id", "core")
_MODEL = ("model name", "Model Name", "cpu model", "cpu", "family", "uarch", "Processor")
_VENDOR = ("vendor_id", "vendor", "CPU implementer")
# Where a CPU begins. "cpu number" begins one only on s390: ia64 prints it, as 0, inside every block.
_NUMBERED = re.compile(r"(?:processor[ \t]*|CPU)(\d{1,9})", re.A)
_KEYS = frozenset(("processor", "cpu number", "flags", *_PACKAGE, *_CORE, *_MODEL, *_VENDOR))


def parse(text: str) -> Cpuinfo:
    """Read every CPU; ParseError if there is none or an id is impossible."""
    cpus: dict[int, dict[str, str]] = {}
    common: dict[str, str] = {}
    block = common
    for number, line in enumerate(text.split("\n"), 1):
        name, colon, value = line.partition(":")
        key = name.rstrip(" \t")
        if not colon:
            continue
        if key not in _KEYS:
            numbered = _NUMBERED.fullmatch(key)
            block = cpus.setdefault(_cpu(numbered[1], number), {}) if numbered else block
            continue
        if key == "processor" or (key == "cpu number" and "processor" not in block):
            block = cpus.setdefault(_cpu(value, number), {})
        block.setdefault(key, value.lstrip(" \t"))
        common.setdefault(key, value.lstrip(" \t"))
    if not cpus and "Processor" in common:  # arm without SMP, before Linux 3.8
        cpus[0] = common
    if not cpus:
        raise ParseError("no processor")
    flags = common.get("flags")
    return Cpuinfo(
        tuple(CpuinfoCpu(cpu, _id(block, _PACKAGE), _id(block, _CORE)) for cpu, block in cpus.items()),
        _first(common, _MODEL), _first(common, _VENDOR), None if flags is None else "hypervisor" in flags.split(),
    )  # fmt: skip


def _cpu(text: str, line: int) -> int:
    cpu = decimal(text.strip(_BLANKS), line)
    if cpu > MAX_CPU_ID:
        raise ParseError(f"no such CPU: {cpu}", line)
    return cpu


def _first(block: dict[str, str], keys: tuple[str, ...]) -> str | None:
    return next((block[key].strip(_BLANKS) for key in keys if block.get(key)), None)


def _id(block: dict[str, str], keys: tuple[str, ...]) -> int | None:
    value = _first(block, keys)
    return None if value is None or value.startswith("-") else decimal(value)


_BLANKS = " \t\r\0"

PARSER = Parser(parse, reads=("proc/cpuinfo",), looks_like=r"^processor[ \t]*:[ \t]*0$")
