"""Which input is which side of a comparison, where the collections were marked (``collect --mark``)."""

from collections.abc import Sequence

from numaaudit.core.marks import SIDES


def in_order(marks: Sequence[str | None]) -> list[int]:
    """The positions of base, after and rollback among the inputs: as typed, unless each is marked as another side."""
    sides = [None if mark is None else SIDES.get(mark) for mark in marks]
    known = {side: position for position, side in enumerate(sides) if side is not None}
    return [known[side] for side in sorted(known)] if len(known) == len(marks) else list(range(len(marks)))
