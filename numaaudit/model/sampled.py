"""What a random sample says of a process's memory, where numa_maps was not read whole: intervals, not amounts.

The intervals hold the truth in 95 of 100 samples (core/intervals.py). They are widened by the memory that is resident by
/proc/PID/status and that the sample did not find, because it hid from move_pages(2) or lies sparsely in large mappings: it may be
anywhere. Fewer than 400 present pages tell nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from operator import eq
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.intervals import Interval, Stratum, share_of, total_of
from numaaudit.core.page_kinds import ANON, FILE, HUGETLB, KINDS, NAMED_SHM, PINNED, SHM
from numaaudit.model.resident import SEGMENTS
from numaaudit.model.sections.processes import Process
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.page_sample import PageSample

LEAST_PAGES = 400

# What /proc/PID/status counts as resident, and the kinds it is found in; the driver's pages are in none of them for sure.
_RESIDENT = (("RssAnon", (ANON, FILE)), ("RssShmem", (PINNED, SHM, NAMED_SHM)), ("HugetlbPages", (HUGETLB,)))
COUNTED = frozenset(KINDS) - {FILE}  # what feeds a GPU
_NONE = NodeSet()


class Sampled(NamedTuple):
    """Of the resident memory of some kinds, what lies on some NUMA nodes. ``share`` from 0 to 1, the others in bytes."""

    share: Interval
    num_bytes: Interval
    total_bytes: Interval
    numa_nodes: NodeSet  # those of them on which pages were found
    num_pages: int  # present in the sample

    def exceeds(self, share: float, num_bytes: float) -> bool | None:
        """Whether both are more than this; None where the intervals do not decide."""
        if self.share.low > share and self.num_bytes.low > num_bytes:
            return True
        return False if self.share.high <= share or self.num_bytes.high <= num_bytes else None

    def beyond(self, promised: float) -> "Sampled":
        """What exceeds the share that an interleave puts there anyway."""
        share = (max(0.0, value - promised) for value in self.share)
        totals = (self.total_bytes.estimate, self.total_bytes.high, self.total_bytes.low)
        num_bytes = (max(0.0, value - promised * total) for value, total in zip(self.num_bytes, totals, strict=True))
        return self._replace(share=Interval(*share), num_bytes=Interval(*num_bytes))


def sample_of(process: Process) -> Found[PageSample] | None:
    """The sample, where it has to stand in for numa_maps."""
    is_partial = not isinstance(process.maps, Gap) and process.maps.record.is_partial
    return process.sample if is_partial and isinstance(process.sample, Found) else None


def counted_kinds(process: Process, processes: Iterable[Process]) -> frozenset[str]:
    """The kinds that feed a GPU; named shared memory only where no other process maps some: it was filled by any of them."""
    others = (other for other in processes if other.pid != process.pid)
    return COUNTED - {NAMED_SHM} if any(map(_has_named_shm, others)) else COUNTED


def sampled(
    process: Process, found: Found[PageSample], kinds: Iterable[str], is_there: Callable[[int], bool], but: NodeSet = _NONE
) -> Sampled | Gap:
    """How much of these kinds lies on the NUMA nodes for which ``is_there``, pages on those in ``but`` left out; or why nobody knows."""
    strata = [each for each in found.record.strata if each.kind in kinds]
    counts = [[(number, count) for number, count in each.present_by_node if number not in but] for each in strata]
    drawn = [
        Stratum(each.pages, each.asked, sum(count for _, count in own), sum(count for number, count in own if is_there(number)))
        for each, own in zip(strata, counts, strict=True)
    ]
    share, num_pages, hidden = share_of(drawn), sum(each.present for each in drawn), _hidden_bytes(found.record, frozenset(kinds))
    if share is None or num_pages < LEAST_PAGES:
        return not_decided(process, found, f"{num_pages} of the pages that were asked for are present, fewer than {LEAST_PAGES}")
    if hidden is None:
        return not_decided(process, found, "the kernel does not say how much is resident (before Linux 4.5)")
    there = NodeSet(number for own in counts for number, count in own if count and is_there(number))
    return _widened(share, _scaled(total_of(drawn), found.record.page_bytes), hidden, there, num_pages)


def by_node(process: Process, found: Found[PageSample], kinds: Iterable[str], numa_nodes: Iterable[int] = ()) -> dict[int, Sampled] | Gap:
    """What lies on each of these NUMA nodes, and on each other one on which pages of these kinds were found."""
    wanted = frozenset(kinds)
    numbers = sorted({*numa_nodes, *estimated_bytes(found, wanted)})
    shares = {number: sampled(process, found, wanted, partial(eq, number)) for number in numbers}
    gap = next((each for each in shares.values() if isinstance(each, Gap)), None)
    if gap or not shares:
        return gap or not_decided(process, found, "no page that was asked for is present")
    return {number: each for number, each in shares.items() if not isinstance(each, Gap)}


def estimated_bytes(found: Found[PageSample], kinds: Iterable[str]) -> dict[int, int]:
    """Resident memory of these kinds by NUMA node, as far as it was found, however few pages tell."""
    wanted, sums = frozenset(kinds), defaultdict[int, float](float)
    for each in found.record.strata:
        for number, count in each.present_by_node if each.kind in wanted else ():
            sums[number] += count * each.pages / each.asked * found.record.page_bytes
    return {number: int(amount) for number, amount in sorted(sums.items())}


def most_bytes(found: Found[PageSample], kinds: Iterable[str]) -> float | None:
    """The most that may be resident of these kinds; None where the kernel does not say what is."""
    hidden = _hidden_bytes(found.record, frozenset(kinds))
    return None if hidden is None else total_bytes(found, kinds).high + hidden


def total_bytes(found: Found[PageSample], kinds: Iterable[str]) -> Interval:
    """Resident memory of these kinds, as far as it was found."""
    wanted = frozenset(kinds)
    drawn = [Stratum(each.pages, each.asked, each.present) for each in found.record.strata if each.kind in wanted]
    return _scaled(total_of(drawn), found.record.page_bytes)


def not_decided(process: Process, found: Found[PageSample], why: str) -> Gap:
    """The gap of a rule that a sample does not settle, with the command that does."""
    return Gap("cut", found.file.path, f"{why}; run: numaaudit collect --pid {process.pid} --pages full")


def percent(interval: Interval) -> str:
    """An interval of shares as people read it: ``8 to 12``, ``99.9 to 100``."""
    decimals = 0 if interval.high - interval.low >= 0.01 else 1
    low, high = (f"{100 * value:.{decimals}f}".removesuffix(".0") for value in (interval.low, interval.high))
    return f"{low} to {high}"


def _widened(share: Interval, total: Interval, hidden: float, numa_nodes: NodeSet, num_pages: int) -> Sampled:
    found = total.estimate + hidden
    return Sampled(
        Interval(share.estimate, share.low * total.estimate / found, (share.high * total.estimate + hidden) / found),
        Interval(share.estimate * total.estimate, share.low * total.low, share.high * total.high + hidden),
        Interval(total.estimate, total.low, total.high + hidden),
        numa_nodes,
        num_pages,
    )


def _scaled(pages: Interval, page_bytes: int) -> Interval:
    return Interval(*(value * page_bytes for value in pages))


def _hidden_bytes(sample: PageSample, kinds: frozenset[str]) -> float | None:
    """Resident memory of these kinds that the sample did not find; None where the kernel does not say what is resident."""
    hidden = 0.0
    for name, own in _RESIDENT:
        if kinds.isdisjoint(own):
            continue
        known = sample.resident_bytes.get(name)
        if known is None:
            return None
        drawn = [Stratum(each.pages, each.asked, each.present) for each in sample.strata if each.kind in own]
        hidden += max(0.0, known - total_of(drawn).estimate * sample.page_bytes)
    return hidden


def _has_named_shm(process: Process) -> bool:
    if isinstance(process.maps, Gap):
        return False
    found = sample_of(process)
    in_sample = found is not None and any(each.kind == NAMED_SHM for each in found.record.strata)
    return in_sample or any((total.file or "").startswith(SEGMENTS) for total in process.maps.record.totals)
