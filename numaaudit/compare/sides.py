"""Which input is which side of a comparison, where the collections were marked (``collect --mark``)."""

from collections.abc import Sequence

_SIDES = {"baseline": 0, "local": 1, "control": 1, "rollback": 2}  # control: the change was left out, to see what differs anyway


def in_order(marks: Sequence[str | None]) -> list[int]:
    """The positions of base, after and rollback among the inputs: as typed, unless each is marked as another side."""
    sides = [None if mark is None else _SIDES.get(mark) for mark in marks]
    known = {side: position for position, side in enumerate(sides) if side is not None}
    return [known[side] for side in sorted(known)] if len(known) == len(marks) else list(range(len(marks)))
