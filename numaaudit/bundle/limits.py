"""The one table of limits on what an input may be; ``numaaudit --limit NAME=N ...`` sets another for one run."""

from __future__ import annotations

from typing import NamedTuple

from numaaudit.core.units import GIB, KIB, MIB


class Limits(NamedTuple):
    """Sizes in bytes unless the name says otherwise."""

    members: int = 250_000  # count; a sosreport has up to 60,000
    member_bytes: int = 256 * MIB
    total_bytes: int = 4 * GIB
    ratio: int = 200  # of decompressed to compressed bytes, after the first 16 MiB
    ratio_free_bytes: int = 16 * MIB
    name_bytes: int = 4 * KIB
    name_depth: int = 100  # folders in a name
    line_bytes: int = 64 * KIB
    document_bytes: int = 32 * MIB  # JSON and YAML
    links: int = 40  # symbolic links followed for one path, as the kernel's MAXSYMLINKS


LIMITS = Limits()


def to_raise(name: str) -> str:
    """What a message about a limit says one can do."""
    return "if that is right: numaaudit --limit %s=N ..." % name
