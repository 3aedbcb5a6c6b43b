"""Foreign bundles: one file per layout, each with a constant ADAPTER; nothing else lists them."""

from __future__ import annotations

import re
from typing import Callable, NamedTuple, Optional


class Adapter(NamedTuple):
    """A layout is known by the folder ``marker`` beside the copied ``proc`` and ``sys``.

    ``bundle_path`` takes the path of a file below the marker and says where a bundle of ours has it, or None if nowhere.
    """

    marker: str
    bundle_path: Callable[[str], Optional[str]]


_KEPT = re.compile(r"[^A-Za-z0-9.=,-]")


def command_output(mangled: str) -> str:
    """The bundle path of a command's output that is kept under a mangled name such as ``numactl_--hardware``."""
    return "commands/%s.out" % _KEPT.sub("_", mangled)
