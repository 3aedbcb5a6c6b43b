"""How sure a statement is; severity is another matter."""

from __future__ import annotations

from enum import Enum


class Confidence(str, Enum):
    """``certain``: read from what decides it. ``likely``: inferred. ``possible``: one of several explanations."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"
