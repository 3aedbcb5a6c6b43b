"""Which of several sources wins: decided here and nowhere else."""

from collections.abc import Hashable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from numaaudit.core.sources import trust

V = TypeVar("V", bound=Hashable)


class Conflict(NamedTuple):
    """Sources that disagree about one field of one subject; ``values`` are (value, source), the one used first."""

    subject: str
    field: str
    values: tuple[tuple[Any, str], ...]


class Picked(Generic[V]):
    """The value of the most trusted source that has one, its source, and the conflict if another source differs."""

    __slots__ = ("conflict", "source", "value")

    def __init__(self, value: V | None, source: str | None, conflict: Conflict | None) -> None:
        self.value = value
        self.source = source
        self.conflict = conflict


def pick(subject: str, field: str, candidates: Iterable[tuple[V | None, str]]) -> Picked[V]:
    """Choose among (value, source) pairs by ``core/sources.py``; a None value is no candidate."""
    known = sorted(((value, source) for value, source in candidates if value is not None), key=lambda pair: trust(pair[1]))
    if not known:
        return Picked(None, None, None)
    value, source = known[0]
    differs = any(other != value for other, _ in known)
    return Picked(value, source, Conflict(subject, field, tuple(known)) if differs else None)
