"""``/proc/cmdline``: the parameters of the running kernel (Documentation/admin-guide/kernel-parameters.rst)."""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.units import parse_bytes
from numaaudit.parse.parser import Parser


class IsolatedCpus(NamedTuple):
    """``isolcpus=``. ``flags`` empty means ``domain``. ``cpus`` None: a list of the special forms ``all`` or ``N``."""

    flags: tuple[str, ...]
    cpus: CpuSet | None


class HugepagePool(NamedTuple):
    """Huge pages to set aside at boot; ``page_bytes`` None: of the default size, ``numa_node`` None: spread over all."""

    page_bytes: int | None
    numa_node: int | None
    num_pages: int


class KernelCmdline(NamedTuple):
    """The parameters in order; a value of None is a word without ``=``."""

    parameters: tuple[tuple[str, str | None], ...]

    def get(self, name: str) -> str | None:
        """The last value of a parameter, as most of them take it; None: not given, or without ``=``."""
        return next((value for key, value in reversed(self.parameters) if key == name), None)

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.parameters)

    @property
    def isolated(self) -> IsolatedCpus | None:
        """``isolcpus=managed_irq,domain,2-7``; None if it is not given."""
        value = self.get("isolcpus")
        if value is None:
            return None
        flags, cpus = _split_flags(value)
        return IsolatedCpus(flags, _cpus(cpus))

    @property
    def nohz_full(self) -> CpuSet | None:
        """CPUs without a timer tick; None if not given, or of the forms ``all`` or ``N``."""
        value = self.get("nohz_full")
        return None if value is None else _cpus(value)

    @property
    def hugepages(self) -> tuple[HugepagePool, ...]:
        """``hugepagesz=1G hugepages=0:4,1:4``: a size holds for the counts behind it."""
        pools: list[HugepagePool] = []
        size: int | None = None
        for name, value in self.parameters:
            if name == "hugepagesz" and value:
                size = _bytes(value)
            elif name == "hugepages" and value:
                pools += _pools(size, value)
        return tuple(pools)


_FLAGS = ("nohz", "domain", "managed_irq")  # kernel/sched/isolation.c
_PER_NODE = re.compile(r"(\d{1,4}):(\d{1,10})", re.A)


def parse(text: str) -> KernelCmdline:
    """Split at blanks outside of quotes; ParseError for an empty text. What follows ``--`` is init's."""
    parameters: list[tuple[str, str | None]] = []
    for word in _words(text):
        if word == "--":
            break
        name, equals, value = word.partition("=")
        parameters.append((name, value if equals else None))
    if not parameters:
        raise ParseError("no kernel parameter")
    return KernelCmdline(tuple(parameters))


def _words(text: str) -> list[str]:
    pieces = text.replace("\0", " ").split('"')
    pieces[::2] = [re.sub(r"\s", "\0", piece) for piece in pieces[::2]]
    return [word for word in "".join(pieces).split("\0") if word]


def _split_flags(value: str) -> tuple[tuple[str, ...], str]:
    words = value.split(",")
    num_flags = next((index for index, word in enumerate(words) if word not in _FLAGS), len(words))
    return tuple(words[:num_flags]), ",".join(words[num_flags:])


def _cpus(text: str) -> CpuSet | None:
    try:
        return CpuSet.parse(text)
    except ParseError:
        return None


def _pools(size: int | None, value: str) -> list[HugepagePool]:
    """``16``, or ``0:4,1:4`` with a count for each NUMA node (Linux 5.16); nothing for a value the kernel would refuse."""
    if value.isascii() and value.isdigit() and len(value) < 11:
        return [HugepagePool(size, None, int(value))]
    matches = [_PER_NODE.fullmatch(part) for part in value.split(",")]
    return [HugepagePool(size, int(match[1]), int(match[2])) for match in matches if match]


def _bytes(value: str) -> int | None:
    try:
        return parse_bytes(value)
    except ParseError:
        return None


PARSER = Parser(parse, reads=("proc/cmdline",), looks_like=r"^BOOT_IMAGE=")
