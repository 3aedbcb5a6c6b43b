"""Which side of a comparison a collection is (``collect --mark``); the manifest keeps it."""

from __future__ import annotations

# The position of each side in ``numaaudit compare``. control: the change was left out, to see what differs anyway.
SIDES = {"baseline": 0, "local": 1, "control": 1, "rollback": 2}
MARKS = tuple(SIDES)
