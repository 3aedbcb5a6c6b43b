"""Counters that only grow."""

from __future__ import annotations

from typing import Optional


def difference(before: Optional[int], after: Optional[int]) -> Optional[int]:
    """How much a counter grew; None where that is not known, as it is where it went backwards."""
    return None if before is None or after is None or after < before else after - before
