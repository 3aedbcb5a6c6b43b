"""One component of a glob."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import Any, Callable, Optional

_NUMBER = "[0-9]*"


@lru_cache(maxsize=1024)
def matcher(part: str) -> Optional[Callable[[str], Any]]:
    """What tells whether a name matches ``* ? [a-z]``; None for a plain name. ``cpu[0-9]*`` means cpu and a number, nothing more."""
    if not any(sign in part for sign in "*?["):
        return None
    stem = part[: -len(_NUMBER)] if part.endswith(_NUMBER) else ""
    is_numbered = part.endswith(_NUMBER) and not any(sign in stem for sign in "*?[")
    return re.compile(re.escape(stem) + r"[0-9]{1,10}\Z" if is_numbered else fnmatch.translate(part)).match
