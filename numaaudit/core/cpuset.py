"""Sets of logical CPUs and of NUMA nodes, in the two notations of the kernel.

The list notation (``0-3,8``) is what ``/sys/devices/system/cpu/online``, ``cpulist`` and ``Cpus_allowed_list`` print
(kernel ``lib/vsprintf.c``, ``%*pbl``); the mask notation (``ff,00000000``) is what ``cpumap`` and ``Cpus_allowed`` print
(``%*pb``: 32-bit words, the most significant first). A set is kept as one integer, so its algebra is the integer's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, FrozenSet, Iterable, Iterator, Tuple, Type, TypeVar

from numaaudit.core.errors import ParseError

MAX_CPU_ID = 65_535
MAX_NUMA_NODE_ID = 4_095

# "a", "a-b", "a-b:step" and the kernel's "a-b:used/group" (Documentation/admin-guide/kernel-parameters.rst)
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9})(?:/(\d{1,9}))?)?)?", re.A)
_WORD = re.compile(r"[0-9a-fA-F]+")
_ONES = re.compile("1+")
_MANY_BITS = 8_192  # as many CPUs as Linux can be built for

Self = TypeVar("Self", bound="IdSet")


class IdSet:
    """An immutable set of small non-negative integers that prints as a kernel list. Use CpuSet or NodeSet."""

    __slots__ = ("_bits",)
    limit = MAX_CPU_ID
    _bits: int

    def __init__(self, ids: Iterable[int] = ()) -> None:
        bits = 0
        for number in ids:
            if not 0 <= number <= self.limit:
                raise ParseError("id %d is outside 0-%d" % (number, self.limit))
            bits |= 1 << number
        object.__setattr__(self, "_bits", bits)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("%s is immutable" % type(self).__name__)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self).parse, (str(self),))

    @classmethod
    def _of_bits(cls: Type[Self], bits: int) -> Self:
        made = cls.__new__(cls)
        object.__setattr__(made, "_bits", bits)
        return made

    @classmethod
    def parse(cls: Type[Self], text: str) -> Self:
        """Read a list such as ``0-3,8``; blank is the empty set. ParseError for anything else or an id above ``limit``."""
        if len(text) > 8 * cls.limit:
            raise ParseError("longer than any list of ids up to %d" % cls.limit)
        return cls._of_bits(_list_bits(text.strip(" \t\r\n\0"), cls.limit))

    @classmethod
    def from_mask(cls: Type[Self], text: str) -> Self:
        """Read a hexadecimal mask such as ``ff,00000000`` or ``0xff``; ParseError for anything else."""
        bits = 0
        for word in text.strip(" \t\r\n\0").split(","):
            digits = word[2:] if word[:2] in ("0x", "0X") else word
            if not _WORD.fullmatch(digits) or len(digits) > cls.limit // 4 + 1:
                raise ParseError("not a mask: %.40r" % text)
            width = 32 if len(digits) <= 8 else 4 * len(digits)
            bits = bits << width | int(digits, 16)
            if bits >> (cls.limit + 1):
                raise ParseError("mask has an id above %d" % cls.limit)
        return cls._of_bits(bits)

    @classmethod
    def union(cls: Type[Self], sets: Iterable[Self]) -> Self:
        """All ids of several sets."""
        whole = cls()
        for each in sets:
            whole |= each
        return whole

    def __and__(self: Self, other: Self) -> Self:
        return self._of_bits(self._bits & self._same(other))

    def __or__(self: Self, other: Self) -> Self:
        return self._of_bits(self._bits | self._same(other))

    def __sub__(self: Self, other: Self) -> Self:
        return self._of_bits(self._bits & ~self._same(other))

    def __le__(self: Self, other: Self) -> bool:
        return not self._bits & ~self._same(other)

    def __lt__(self: Self, other: Self) -> bool:
        return self._bits != self._same(other) and self <= other

    def isdisjoint(self: Self, other: Self) -> bool:
        return not self._bits & self._same(other)

    def _same(self: Self, other: Self) -> int:
        if type(other) is not type(self):
            raise TypeError("%s and %s do not mix" % (type(self).__name__, type(other).__name__))
        return other._bits

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._bits == other._bits

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._bits))

    def __bool__(self) -> bool:
        return bool(self._bits)

    def __len__(self) -> int:
        return bin(self._bits).count("1")

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number >= 0 and bool(self._bits >> number & 1)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.runs():
            yield from range(first, last + 1)

    def runs(self) -> Iterator[Tuple[int, int]]:
        """The maximal runs of consecutive ids, ascending: ``0-3,8`` gives (0, 3), (8, 8)."""
        bits, base = self._bits, 0
        if bits.bit_length() > _MANY_BITS:  # no real set: shifting it run by run would take the square of its size
            yield from ((match.start(), match.end() - 1) for match in _ONES.finditer(bin(bits)[:1:-1]))
            return
        while bits:
            gap = (bits & -bits).bit_length() - 1
            bits >>= gap
            size = (~bits & (bits + 1)).bit_length() - 1
            yield base + gap, base + gap + size - 1
            bits >>= size
            base += gap + size

    def __str__(self) -> str:
        return ",".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in self.runs())

    @property
    def short(self) -> str:
        """For people: ``0-62:2`` for every second id from 0 to 62, which taskset(1) takes too; else the list."""
        ids = list(self)
        step = ids[1] - ids[0] if len(ids) > 3 else 1
        if step > 1 and ids == list(range(ids[0], ids[-1] + 1, step)):
            return "%d-%d:%d" % (ids[0], ids[-1], step)
        return str(self)

    def __repr__(self) -> str:
        return "%s('%s')" % (type(self).__name__, self)

    def ids(self) -> FrozenSet[int]:
        return frozenset(self)


class CpuSet(IdSet):
    """Logical CPUs by the kernel's number (the N of ``/sys/devices/system/cpu/cpuN``)."""

    __slots__ = ()


class NodeSet(IdSet):
    """NUMA nodes by the kernel's number (the N of ``/sys/devices/system/node/nodeN``); numbers may have holes."""

    __slots__ = ()
    limit = MAX_NUMA_NODE_ID


@lru_cache(maxsize=4096)
def _list_bits(text: str, limit: int) -> int:
    bits = 0
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part.strip())
        if not match:
            raise ParseError("not a list of ids: %.40r" % text)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last > limit:
            raise ParseError("bad range %r: ids run up to %d" % (part.strip(), limit))
        used, group = (int(match[3]), int(match[4])) if match[4] else (1, int(match[3] or 1))
        if not 0 < used <= group:
            raise ParseError("bad step in %r" % part.strip())
        bits |= _stepped(last - first + 1, used, group) << first
    return bits


def _stepped(span: int, used: int, group: int) -> int:
    """``span`` bits, of which the first ``used`` of every ``group`` are set."""
    every = (1 << span) - 1
    if used == group or used >= span:
        return every
    group = min(group, span)
    starts = ((1 << group * -(-span // group)) - 1) // ((1 << group) - 1)  # 1 + 2^group + 2^(2 group) + ...
    return starts * ((1 << used) - 1) & every
