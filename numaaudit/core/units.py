"""Bytes and counts: read what tools print, print what people read."""

from __future__ import annotations

import re

from numaaudit.core.errors import ParseError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
_FACTORS = {
    "": 1,
    "b": 1,
    "k": KIB,
    "kb": KIB,
    "kib": KIB,
    "m": MIB,
    "mb": MIB,
    "mib": MIB,
    "g": GIB,
    "gb": GIB,
    "gib": GIB,
    "t": 1 << 40,
    "tb": 1 << 40,
    "tib": 1 << 40,
}
_SIZE = re.compile(r"(\d{1,20}) ?([A-Za-z]{0,3})", re.A)


def parse_bytes(text: str) -> int:
    """Bytes of ``734744 kB`` or ``64 MiB``. The kernel's and numactl's kB and MB are 1024-based. ParseError otherwise."""
    match = _SIZE.fullmatch(text.strip())
    if not match or match[2].lower() not in _FACTORS:
        raise ParseError("not a size: %.40r" % text)
    return int(match[1]) * _FACTORS[match[2].lower()]


def format_bytes(count: int) -> str:
    """A size for people: ``512 B``, ``1.5 GiB``, ``64 MiB``; at most one decimal."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024 or unit == "TiB":
            break
        size /= 1024
    return "%s %s" % (("%.1f" % size).replace(".0", ""), unit)


def counted(number: int, thing: str) -> str:
    """``1 rank``, ``2 ranks``."""
    return "%d %s%s" % (number, thing, "" if number == 1 else "s")
