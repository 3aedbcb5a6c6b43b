"""``/proc/PID/numa_maps`` and ``/proc/PID/task/TID/numa_maps`` (kernel ``fs/proc/task_mmu.c``; numa_maps(5)).

A line is a mapping: start, policy, then fields in a fixed order; ``N0=5`` counts pages of ``kernelpagesize_kB`` (huge pages
on hugetlb lines). A file of 100,000 lines is common: lines that are equal but for their address are read once.
Details of single mappings come from ``mappings``, which reads the text again.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.parse.parser import Parser

ANON, HUGETLB, SHM, FILE, DEVICE = KINDS = ("anon", "hugetlb", "shm", "file", "device")


class MappingTotal(NamedTuple):
    """All mappings of one file (None: anonymous) under one policy. ``kind`` is one of KINDS; heap and stack are ``anon``."""

    policy: MemPolicy
    kind: str
    file: str | None  # as printed: blanks as \\040; the kernel does not escape the backslash, so decoding is a guess
    num_mappings: int
    bytes_by_node: tuple[tuple[int, int], ...]  # (NUMA node, bytes), ascending, none of 0
    unsized_pages_by_node: tuple[tuple[int, int], ...]  # pages whose size the kernel did not print (before Linux 4.0)


class NumaMaps(NamedTuple):
    """One file. Without mappings: a kernel thread or a zombie."""

    policy: MemPolicy | None  # of the first mapping: in practice the task's own policy; None without mappings
    totals: tuple[MappingTotal, ...]
    num_mappings: int
    is_partial: bool  # the text ends inside a line: of the rest nothing is known
    num_unreadable: int  # lines that are no mapping

    def bytes_by_node(self, *kinds: str) -> dict[int, int]:
        """Bytes on each NUMA node, ascending, in mappings of these kinds (of all if none is named)."""
        sums: defaultdict[int, int] = defaultdict(int)
        for total in self.totals:
            if not kinds or total.kind in kinds:
                for numa_node, amount in total.bytes_by_node:
                    sums[numa_node] += amount
        return dict(sorted(sums.items()))

    def policies(self) -> dict[str, int]:
        """Number of mappings under each policy, by its text, the commonest first."""
        sums: Counter[str] = Counter()
        for total in self.totals:
            sums[total.policy.text] += total.num_mappings
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


class Mapping(NamedTuple):
    """One line."""

    line: int  # from 1
    start: int  # address
    policy: MemPolicy
    kind: str
    file: str | None  # as printed
    page_bytes: int | None  # None: not printed
    pages_by_node: tuple[tuple[int, int], ...]
    anon_pages: int  # private copies among them, and pages in the swap cache


_POLICY = r"[a-z]{1,20}(?: \(many\)| interleave|)[=:a-z0-9|,-]{0,63}"
_ADDRESSED = re.compile(r"^[0-9a-f]{8,16} (.+)$", re.M)
_UNADDRESSED = re.compile(r"^(?![0-9a-f]{8,16} .).+$", re.M)
# Behind the address: (policy, file, huge) N(first node)=(pages) (more nodes and the page size), or (something different)
_LINE = re.compile(
    rf"^({_POLICY}(?: file=\S+|)(?: heap| stack|)(?: huge|))"
    r"(?: [a-z0-9= ]*(?:N(\d{1,4})=(\d{1,18}) ([N0-9= ]*kernelpagesize_kB=\d{1,9})|)|)$|^(.+)$",
    re.M | re.A,
)
_CUT_LINE = re.compile(rf"[0-9a-f]{{8,16}} ({_POLICY})( (?!\()|)", re.A)
_ADDRESS = re.compile(r"[0-9a-f]{8,16}")
_FIELD = re.compile(r"heap|huge|stack(?::\d{1,10})?|file=.*|[A-Za-z_]{1,40}\d{0,5}=\d{1,18}", re.A)
_COUNT = re.compile(r"N(\d{1,4})=(\d{1,18}) ", re.A)
_BLANKS = re.compile(r"[ \t\r]+")
_SIZE = "kernelpagesize_kB"

Amounts = tuple[tuple[int, int], ...]


def parse(text: str) -> NumaMaps:
    """Add up a whole file, or read the policy from the first bytes of one.

    Lines that are no mapping are counted and left out; ParseError if there is no mapping at all. A text whose last line
    does not end is partial; only the policy is taken from that line.
    """
    text, last = _without_cut_line(text.rstrip("\0"))
    sums = _Sums()
    found = Counter(_ADDRESSED.findall(text))
    for (head, numa_node, rest, other), tally in _alike(found).items():
        if other:
            sums.add_unusual(f"00000000 {other}", tally.num_lines)
        else:
            sums.add(head, _counts(numa_node, tally, rest), tally.num_lines)
    if found.total() <= text.rstrip("\n").count("\n"):
        for line in _UNADDRESSED.findall(text):
            sums.add_unusual(line, 1)
    totals = sums.totals()
    policy = totals[0].policy if totals else _policy_of_cut_line(last)
    if policy is None and (text.strip() or last):
        raise ParseError("no line is a mapping", 1)
    return NumaMaps(policy, totals, sums.num_mappings, bool(last), sums.num_unreadable)


class _Tally:
    """Lines that differ at most in their address and in the pages on their first node."""

    __slots__ = ("num_lines", "pages")

    def __init__(self) -> None:
        self.num_lines = 0
        self.pages = 0


def _alike(found: Counter[str]) -> dict[tuple[str, str, str, str], _Tally]:
    """Lines without their address, to one tally each for (head, first node, rest, unusual line)."""
    tallies: defaultdict[tuple[str, str, str, str], _Tally] = defaultdict(_Tally)
    for (head, numa_node, pages, rest, other), times in zip(_LINE.findall("\n".join(found)), found.values(), strict=True):
        tally = tallies[head, numa_node, rest, other]
        tally.num_lines += times
        if pages:
            tally.pages += int(pages) * times
    return tallies


def mappings(text: str) -> Iterator[Mapping]:
    """Every mapping by itself, slower; what ``parse`` counts as unreadable is left out, and so is a last line that was cut."""
    text, _ = _without_cut_line(text.rstrip("\0"))
    for number, line in enumerate(text.split("\n"), 1):
        mapping = _mapping(line, number)
        if mapping:
            yield mapping


def _without_cut_line(text: str) -> tuple[str, str]:
    """The whole lines, and the last one if it was cut: the kernel ends every line, people lose the last line's end."""
    body, _, last = text.rpartition("\n")
    if not last.strip() or _is_whole(last):
        return text, ""
    return body, last


def _is_whole(line: str) -> bool:
    before, found, size = line.rstrip().rpartition(_SIZE + "=")
    smallest = 2048 if " huge " in before else 4  # "20" was 2048
    return bool(found) and size.isdecimal() and len(size) < 10 and int(size) >= smallest and int(size) & (int(size) - 1) == 0


def _policy_of_cut_line(line: str) -> MemPolicy | None:
    match = _CUT_LINE.match(line.lstrip())
    return MemPolicy.parse(match[1], cut=not match[2]) if match else None


class _Counts(NamedTuple):
    """Pages by NUMA node, and the size of one (None: not printed)."""

    pages_by_node: Amounts
    page_bytes: int | None


def _counts(first_node: str, tally: _Tally, rest: str) -> _Counts | None:
    """The sum over lines that are alike; None for counts that cannot be."""
    if not rest:
        return _Counts((), None)
    more, _, size = rest.partition(_SIZE + "=")
    pages_by_node = [(int(first_node), tally.pages)]
    if more:
        pages_by_node += [(int(numa_node), int(pages) * tally.num_lines) for numa_node, pages in _COUNT.findall(more)]
    if (more and _COUNT.sub("", more)) or max(pages_by_node)[0] > MAX_NUMA_NODE_ID:
        return None
    return _Counts(tuple(pages_by_node), int(size) << 10)


class _Sums:
    """Totals by policy, kind and file."""

    def __init__(self) -> None:
        self.num_mappings = 0
        self.num_unreadable = 0
        self._groups: dict[tuple[str, str, str | None], _Group] = {}
        self._by_head: dict[str, _Group] = {}

    def add(self, head: str, counts: _Counts | None, num_lines: int) -> None:
        """Lines as the kernel writes them; ``head`` is policy, file and flags."""
        if counts is None:
            self.num_unreadable += num_lines
            return
        group = self._by_head.get(head)
        if group is None:
            policy, file, is_huge = _split_head(head)
            group = self._by_head[head] = self._group(policy, _kind(file, is_huge), file)
        self._add(group, counts, num_lines)

    def add_unusual(self, line: str, num_lines: int) -> None:
        """Indented lines, policies and fields of other kernels."""
        mapping = _mapping(line, 0)
        if mapping:
            counts = _Counts(tuple((numa_node, pages * num_lines) for numa_node, pages in mapping.pages_by_node), mapping.page_bytes)
            self._add(self._group(mapping.policy.text, mapping.kind, mapping.file), counts, num_lines)
        elif line.strip():
            self.num_unreadable += num_lines

    def totals(self) -> tuple[MappingTotal, ...]:
        """In the order in which they first appear."""
        return tuple(
            MappingTotal(MemPolicy.parse(policy), kind, file, group.num_mappings, _ascending(group.bytes), _ascending(group.unsized))
            for (policy, kind, file), group in self._groups.items()
        )

    def _group(self, policy: str, kind: str, file: str | None) -> "_Group":
        return self._groups.setdefault((policy, kind, file), _Group())

    def _add(self, group: "_Group", counts: _Counts, num_lines: int) -> None:
        self.num_mappings += num_lines
        group.num_mappings += num_lines
        sums, factor = (group.unsized, 1) if counts.page_bytes is None else (group.bytes, counts.page_bytes)
        for numa_node, pages in counts.pages_by_node:
            sums[numa_node] += pages * factor


class _Group:
    """A total that is being added up."""

    __slots__ = ("bytes", "num_mappings", "unsized")

    def __init__(self) -> None:
        self.num_mappings = 0
        self.bytes: defaultdict[int, int] = defaultdict(int)
        self.unsized: defaultdict[int, int] = defaultdict(int)


def _ascending(sums: dict[int, int]) -> Amounts:
    if not sums:
        return ()
    return tuple(sorted((numa_node, amount) for numa_node, amount in sums.items() if amount))


def _split_head(head: str) -> tuple[str, str | None, bool]:
    policy, named, file = head.removesuffix(" huge").removesuffix(" heap").removesuffix(" stack").partition(" file=")
    return policy, file if named else None, head.endswith(" huge")


def _mapping(line: str, number: int) -> Mapping | None:
    """One line word by word: any order of fields, unknown ones ignored."""
    address, *words = _BLANKS.sub(" ", line).strip(" ").split(" ")
    policy_words = list(takewhile(lambda word: not _FIELD.fullmatch(word), words))
    policy = " ".join(policy_words)
    if not _ADDRESS.fullmatch(address) or not re.fullmatch(r"[a-z][a-z0-9 ()=:|,-]{0,83}", policy):
        return None
    fields = dict(word.partition("=")[::2] for word in words[len(policy_words) :] if _FIELD.fullmatch(word))
    pages_by_node = tuple((int(key[1:]), int(value)) for key, value in fields.items() if re.fullmatch(r"N\d{1,5}", key))
    if any(numa_node > MAX_NUMA_NODE_ID for numa_node, _ in pages_by_node):
        return None
    page_bytes = int(fields[_SIZE]) << 10 if _SIZE in fields else None
    file, anon_pages = fields.get("file"), int(fields.get("anon", "0"))
    return Mapping(
        number, int(address, 16), MemPolicy.parse(policy), _kind(file, "huge" in fields), file, page_bytes, pages_by_node, anon_pages
    )


@lru_cache(maxsize=4096)
def _kind(file: str | None, is_huge: bool) -> str:
    if is_huge:
        return HUGETLB
    if file is None:
        return ANON
    if file.startswith(_SHM):
        return SHM
    return DEVICE if file.startswith(_DEVICE) else FILE


# Shared memory by the names mm/shmem.c, ipc/shm.c and mm/memfd.c give it; other tmpfs mounts cannot be told from files.
_SHM = ("/dev/shm/", "/SYSV", "/memfd:", "/dev/zero")
_DEVICE = ("/dev/", "anon_inode:", "/anon_inode:", "/dmabuf:", "/drm\\040mm\\040object", "/i915")

_LOOKS_LIKE = (
    rf"^[^\S\n]*[0-9a-f]{{8,16}} (?:default|local|bind|prefer|interleave|weighted interleave|unknown)[ =:\n]"
    rf"[\s\S]*?(?=\n(?![^\S\n]*[0-9a-f]{{8,16}} {_POLICY})|\Z)"
)

PARSER = Parser(parse, reads=("proc/[0-9]*/numa_maps", "proc/[0-9]*/task/[0-9]*/numa_maps"), looks_like=_LOOKS_LIKE)
