"""What masks and pages say together about restarts."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from numaaudit.compare.roles import Matched, Matching
from numaaudit.compare.table import PLACEMENT, Line

OLD_PAGES = "old-pages"  # masks and policies are equal, pages are not: they are older than the masks of one side
MOVED_PAGES = "moved-pages"  # the same of one and the same process: pages moved while it ran
LIVE_CHANGE = "live-change"  # one and the same process with other masks: its pages were placed under the old ones
NOTHING_CHANGED = "nothing-changed"  # base and after are the same placement: nothing was tested

_MASKS = ("allowed_cpus", "thread_cpus", "allowed_mems", "policy", "thread_policies")
PAGES = ("anonymous_pages", "pinned_pages", "shared_pages", "huge_pages")


class Note(NamedTuple):
    """``columns``: the two that it is about. ``restarted``: whether the later one is a fresh start; None where that is not known."""

    kind: str
    subject: str
    columns: tuple[int, int]
    restarted: bool | None


def notes_of(lines: list[Line], matching: Matching) -> tuple[Note, ...]:
    """One for each role and pair of columns at most; of a rollback also whether there was anything to roll back."""
    by_subject: dict[str, list[Line]] = {}
    for line in lines:
        if line.group == PLACEMENT:
            by_subject.setdefault(line.subject, []).append(line)
    found = [note for matched in matching.matched for note in _of_role(matched, by_subject[matched.subject])]
    if len(lines) and len(lines[0].values) == 3 and by_subject and not any(line.differs(0, 1) for line in lines if line.group == PLACEMENT):
        found.append(Note(NOTHING_CHANGED, "host", (0, 1), None))
    return tuple(found)


def _of_role(matched: Matched, lines: list[Line]) -> Iterator[Note]:
    masks = [line for line in lines if line.aspect in _MASKS]
    for a, b in combinations(range(len(matched.roles)), 2):
        other_masks = any(line.differs(a, b) for line in masks)
        other_pages = any(line.differs(a, b) for line in lines if line.aspect in PAGES)
        is_one = _is_one_process(matched, a, b)
        if other_masks and is_one:
            yield Note(LIVE_CHANGE, matched.subject, (a, b), False)
        elif other_pages and not other_masks and any(line.is_known(a) and line.is_known(b) for line in masks):
            yield Note(MOVED_PAGES if is_one else OLD_PAGES, matched.subject, (a, b), _is_restarted(matched, b))


def _is_restarted(matched: Matched, column: int) -> bool | None:
    """Whether no earlier column has the process of this one."""
    known = [_is_one_process(matched, earlier, column) for earlier in range(column)]
    return False if True in known else None if None in known else True


def _is_one_process(matched: Matched, a: int, b: int) -> bool | None:
    one, other = matched.roles[a], matched.roles[b]
    if one is None or other is None or one.start is None or other.start is None:
        return None
    return one.start == other.start
