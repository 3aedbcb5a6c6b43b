"""What may have been meant by a name that nothing on the host has."""

from __future__ import annotations

from typing import Callable, Iterable, List, TypeVar

_MOST = 5

Known = TypeVar("Known")


def closest(typed: str, known: Iterable[Known], name: Callable[[Known], str]) -> List[Known]:
    """The most alike first, five at most; of those equally alike the earlier."""
    from difflib import SequenceMatcher  # start-up: only an error needs it

    return sorted(known, key=lambda each: -SequenceMatcher(None, typed, name(each)).ratio())[:_MOST]
