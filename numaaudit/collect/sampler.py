"""Where the pages of a large process are, from a random sample: reading all of numa_maps would hold it up for too long.

Mappings of one kind and one order of magnitude (16 times) are a stratum. A first pass draws some pages from each and gives its hit
rate; the rest goes to those where pages were found, half of it by kind alike, so that each kind can be judged by itself, half of it
in proportion to the resident pages of each stratum. Pages are drawn with replacement, which makes huge pages count by their size.
The numbers drawn follow from ``seed``, a digest of the process's identity. Every call takes the mmap_lock, 16 pages at a time, and
on a busy host whoever waits for it then waits for a CPU: no more pages are asked for than the answer needs.

``samples/pages-PID.json``, format ``numaaudit.pages/1``::

    {"format": "numaaudit.pages/1", "pid": 7, "start_ticks": 100, "page_bytes": 4096,
     "method": "move_pages(2), ...", "seed": "9f0c1d2e3a4b5c6d", "duration_ms": 31.2, "longest_call_ms": 0.21,
     "resident_bytes": {"RssAnon": 0, "RssShmem": 0, "HugetlbPages": 0},     by /proc/PID/status when the sample began; null: not there
     "strata": [{"kind": "anon", "mappings": 3, "pages": 1048576,            address space in pages of page_bytes
                 "asked": 4000, "present": 3900, "absent": 100, "unknown": 0,
                 "present_by_node": {"0": 3900}}],
     "estimates": {"anon": {"present": 3900, "resident_bytes": 0, "shares": {"0": [1.0, 0.999, 1.0]}}}}

``absent`` is ENOENT, ``unknown`` every other answer that is no NUMA node: for the zero page, for what was unmapped meanwhile, and,
depending on the kernel, for untouched memory. ``shares``: of the pages of a kind, on each NUMA node, the estimate and the ends of
its 95 % interval (core/intervals.py). Pages that automatic NUMA balancing has just made inaccessible hide from Linux 6.1 to 6.5
(``gup_can_follow_protnone``); these are the cold ones, so the sample is then biased to the hot ones. How many are hidden shows in
``resident_bytes`` exceeding the estimates, and readers widen the interval by them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from bisect import bisect_right
from itertools import accumulate
from typing import Any, Dict, Iterator, List, Optional, Tuple

from numaaudit.collect.collector import Read
from numaaudit.collect.mappings import Mapping, mappings_of
from numaaudit.collect.move_pages import Ask, move_pages
from numaaudit.collect.proc_folder import ProcFolder
from numaaudit.collect.reader import Trying
from numaaudit.core.errors import ParseError
from numaaudit.core.intervals import Stratum, share_of, total_of
from numaaudit.core.page_kinds import FILE, KINDS
from numaaudit.core.procfs import parse_status
from numaaudit.core.units import parse_bytes

FORMAT = "numaaudit.pages/1"
NAME = "page_sample"
SAMPLE_S = 5.0  # to sample one process; a tenth of a second is a lot

FIRST_PASS, FIRST_PASS_LARGE = 32, 256  # pages of each stratum, and of one that has a twentieth of all addresses: it may be sparse
ROUND = 512
ENOUGH = 2400  # present pages: the 95 % interval of a share of 10 % is then 2.4 points wide
ENOUGH_OF_KIND = 450  # fewer than 400 tell nothing
MOST = 20_000  # pages asked for
_DRAWING_S = 2.0
_BATCH = 64  # pages in one call
_METHOD = "move_pages(2) without target nodes, random pages with replacement, stratified by kind and size of mapping"
_SIZES = ("RssAnon", "RssShmem", "HugetlbPages")
_REFUSED = "move_pages(2) is refused: it needs the process's own user, or CAP_SYS_PTRACE, and no seccomp filter against it (Docker's)"


class PageSampler:
    """The work of sampling processes: ``sampler(pid)`` gives one Read, whose path is that of the bundle. ``ask`` is move_pages."""

    def __init__(self, root: str, boot_id: str, ask: Ask = move_pages) -> None:
        self._root = root
        self._boot_id = boot_id
        self._ask = ask

    def __call__(self, pid: int) -> Iterator[Any]:
        path = sample_path(pid)
        yield Trying(path)
        try:
            with ProcFolder.open(self._root, pid) as process:
                yield self._read(process, path)
        except OSError:
            yield Read(NAME, path, "gone", reason="the process ended before its pages were sampled")

    def _read(self, process: ProcFolder, path: str) -> Read:
        began = time.perf_counter()
        maps, start_ticks = process.file(NAME, "maps"), process.start_ticks()
        if maps.data is None or start_ticks is None:
            return Read(NAME, path, maps.outcome if maps.data is None else "gone", reason=maps.reason)
        sizes = _sizes(process)
        sample = _Sample(process.pid, self._ask, _seed(self._boot_id, process.pid, start_ticks))
        try:
            sample.draw(mappings_of(_text(maps), _text(process.file(NAME, "mountinfo"))))
        except OSError as error:
            found = process.failed(NAME, path, error)._replace(path=path)
            return found._replace(reason=_REFUSED) if error.errno == errno.EPERM else found
        if process.start_ticks() != start_ticks:
            return Read(NAME, path, "gone", reason="the process ended while its pages were sampled")
        duration_ms = (time.perf_counter() - began) * 1000
        document = sample.document(start_ticks, sizes, duration_ms)
        return Read(NAME, path, data=json.dumps(document, indent=1).encode() + b"\n", duration_ms=duration_ms)


def sample_path(pid: int) -> str:
    """Where a bundle has the sample of a process."""
    return "samples/pages-%d.json" % pid


def why_not(root: str) -> str:
    """Why the kernel cannot be asked about the processes of this root; empty where it can."""
    if root != "/":
        return "the root is not that of this host"
    try:
        is_own = os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        is_own = False
    return "" if is_own else "/proc is not that of this PID namespace"


class _Drawn:
    """A stratum, and what was found of it."""

    def __init__(self, mappings: List[Mapping], page_bytes: int) -> None:
        self.kind = mappings[0].kind
        self.mappings = mappings
        self.ends = list(accumulate((mapping.end - mapping.start) // page_bytes for mapping in mappings))
        self.asked = 0
        self.present_by_node: Dict[int, int] = {}
        self.absent = 0
        self._page_bytes = page_bytes

    @property
    def pages(self) -> int:
        return self.ends[-1]

    @property
    def present(self) -> int:
        return sum(self.present_by_node.values())

    @property
    def resident_pages(self) -> float:
        """As far as one can tell by now."""
        return self.pages * self.present / self.asked if self.asked else 0.0

    def address(self, number: float) -> int:
        """The page at this part (0 to 1) of the stratum."""
        page = int(number * self.pages)
        at = bisect_right(self.ends, page)
        return self.mappings[at].end - (self.ends[at] - page) * self._page_bytes

    def add(self, statuses: List[int]) -> None:
        self.asked += len(statuses)
        for status in statuses:
            if status >= 0:
                self.present_by_node[status] = self.present_by_node.get(status, 0) + 1
            elif status == -errno.ENOENT:
                self.absent += 1

    def counted(self, numa_node: Optional[int] = None) -> Stratum:
        """For the estimates; hits are the pages on this NUMA node."""
        return Stratum(self.pages, self.asked, self.present, 0 if numa_node is None else self.present_by_node.get(numa_node, 0))

    def document(self) -> Dict[str, Any]:
        return {
            "kind": self.kind,
            "mappings": len(self.mappings),
            "pages": self.pages,
            "asked": self.asked,
            "present": self.present,
            "absent": self.absent,
            "unknown": self.asked - self.present - self.absent,
            "present_by_node": {str(number): count for number, count in sorted(self.present_by_node.items())},
        }


class _Sample:
    """One process being sampled."""

    def __init__(self, pid: int, ask: Ask, seed: str) -> None:
        from random import Random  # takes time at start-up

        self._pid = pid
        self._ask = ask
        self._seed = seed
        self._random = Random(seed).random  # noqa: S311  (statistics)
        self._page_bytes = os.sysconf("SC_PAGE_SIZE")
        self._strata: List[_Drawn] = []
        self._longest_call_ms = 0.0

    def draw(self, mappings: List[Mapping]) -> None:
        """Until enough pages are present, the most are asked for, or time is up. OSError where the kernel does not answer."""
        until = time.monotonic() + _DRAWING_S
        self._ask(self._pid, [])  # whether it answers at all, before a call is timed
        self._strata = [_Drawn(each, self._page_bytes) for each in _by_size(mappings).values()]
        for stratum in self._strata:
            is_large = 20 * stratum.pages >= sum(each.pages for each in self._strata)
            self._ask_for(stratum, min(FIRST_PASS_LARGE if is_large else FIRST_PASS, stratum.pages))
        while not self._has_enough() and time.monotonic() < until:
            shares = self._shares()
            if not shares or sum(each.asked for each in self._strata) + ROUND > MOST:
                return
            for stratum, share in shares:
                self._ask_for(stratum, int(share * ROUND + 0.5))

    def _has_enough(self) -> bool:
        present = {kind: sum(each.present for each in self._strata if each.kind == kind) for kind in KINDS if kind != FILE}
        return sum(present.values()) >= ENOUGH and all(count >= ENOUGH_OF_KIND for count in present.values() if count)

    def _shares(self) -> List[Tuple[_Drawn, float]]:
        """What part of the next pages each stratum gets: none where nothing was found, and none of files, whose size alone matters."""
        found = [each for each in self._strata if each.present and each.kind != FILE]
        of_kind: Dict[str, float] = {}
        for each in found:
            of_kind[each.kind] = of_kind.get(each.kind, 0.0) + each.resident_pages
        total = sum(of_kind.values())
        return [(each, each.resident_pages * (0.5 / total + 0.5 / (len(of_kind) * of_kind[each.kind]))) for each in found]

    def _ask_for(self, stratum: _Drawn, count: int) -> None:
        for start in range(0, count, _BATCH):
            addresses = [stratum.address(self._random()) for _ in range(min(_BATCH, count - start))]
            began = time.perf_counter()
            statuses = self._ask(self._pid, addresses)
            self._longest_call_ms = max(self._longest_call_ms, (time.perf_counter() - began) * 1000)
            stratum.add(statuses)

    def document(self, start_ticks: int, sizes: Dict[str, Optional[int]], duration_ms: float) -> Dict[str, Any]:
        return {
            "format": FORMAT,
            "pid": self._pid,
            "start_ticks": start_ticks,
            "page_bytes": self._page_bytes,
            "method": _METHOD,
            "seed": self._seed,
            "duration_ms": round(duration_ms, 3),
            "longest_call_ms": round(self._longest_call_ms, 3),
            "resident_bytes": sizes,
            "strata": [stratum.document() for stratum in self._strata],
            "estimates": {kind: estimate for kind in KINDS for estimate in self._estimates(kind)},
        }

    def _estimates(self, kind: str) -> Iterator[Dict[str, Any]]:
        own = [each for each in self._strata if each.kind == kind]
        if not own:
            return
        numbers = sorted({number for each in own for number in each.present_by_node})
        intervals = ((number, share_of([each.counted(number) for each in own])) for number in numbers)
        yield {
            "present": sum(each.present for each in own),
            "resident_bytes": int(total_of([each.counted() for each in own]).estimate) * self._page_bytes,
            "shares": {str(number): [round(value, 4) for value in interval] for number, interval in intervals if interval},
        }


def _by_size(mappings: List[Mapping]) -> Dict[Tuple[int, int], List[Mapping]]:
    """The mappings of each stratum, by kind and order of magnitude."""
    groups: Dict[Tuple[int, int], List[Mapping]] = {}
    for mapping in mappings:
        groups.setdefault((KINDS.index(mapping.kind), (mapping.end - mapping.start).bit_length() // 4), []).append(mapping)
    return dict(sorted(groups.items()))


def _seed(boot_id: str, pid: int, start_ticks: int) -> str:
    return hashlib.sha256(("%s %d %d" % (boot_id, pid, start_ticks)).encode()).hexdigest()[:16]


def _sizes(process: ProcFolder) -> Dict[str, Optional[int]]:
    fields = parse_status(_text(process.file(NAME, "status")))
    return {name: _bytes(fields.get(name)) for name in _SIZES}


def _bytes(size: Optional[str]) -> Optional[int]:
    try:
        return None if size is None else parse_bytes(size)
    except ParseError:
        return None


def _text(read: Read) -> str:
    return (read.data or b"").decode("utf-8", "backslashreplace")
