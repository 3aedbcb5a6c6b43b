"""Times as people type them: ``30s``, ``500ms``, ``2m``, ``1h``; a plain number is seconds."""

from __future__ import annotations

import re

from numaaudit.core.errors import ParseError

_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h)?", re.A)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def parse_duration(text: str) -> float:
    """Seconds; ParseError for anything else."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise ParseError("not a time such as 30s, 500ms or 2m: %.40r" % text)
    return float(match[1]) * _SECONDS[match[2]]


def format_seconds(seconds: float) -> str:
    """For people: ``30 s``, ``0.5 s``; at most one decimal, two below a second."""
    return "%s s" % (("%.1f" if seconds >= 1 else "%.2f") % seconds).rstrip("0").rstrip(".")
