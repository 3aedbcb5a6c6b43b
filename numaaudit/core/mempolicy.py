"""Memory policies as the kernel prints them in ``numa_maps`` (``mpol_to_str``, ``mm/mempolicy.c``)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, Optional, Tuple

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.errors import ParseError

# The kernel's word to the name of its constant, MPOL_..., in lower case (set_mempolicy(2)).
_MODES = {
    "default": "default",
    "local": "local",
    "prefer": "preferred",
    "prefer (many)": "preferred_many",
    "bind": "bind",
    "interleave": "interleave",
    "weighted interleave": "weighted_interleave",
}
_POLICY = re.compile(r"([a-z]{1,20}(?: \(many\)| interleave|))(?:=([a-z|]+)|)(?::([0-9,-]*)|)")
_BUFFER = 63  # characters that fit the kernel's buffer; a longer policy is cut without a mark


class MemPolicy(NamedTuple):
    """One policy. ``text`` is the kernel's, ``bind=static:0-1``; ``mode`` is None for a word not known here.

    ``numa_nodes`` are those named (none for ``default`` and ``local``); not ``complete`` if the text was cut.
    """

    text: str
    mode: Optional[str]
    flags: Tuple[str, ...]
    numa_nodes: NodeSet
    complete: bool

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str, cut: bool = False) -> MemPolicy:
        """Read one policy; never fails on an unknown one. ``cut``: the text may go on behind its end."""
        return _parse(text, cut)


@lru_cache(maxsize=1024)
def _parse(text: str, cut: bool) -> MemPolicy:
    unknown = MemPolicy(text, None, (), NodeSet(), False)
    match = _POLICY.fullmatch(text)
    mode = _MODES.get(match[1]) if match else None
    if match is None or mode is None:
        return unknown
    cut = (cut or len(text) >= _BUFFER) and mode not in ("default", "local")  # which name no nodes
    if cut and match[3] is None:
        return unknown
    ids = match[3] or ""
    if cut:  # the last number may lack digits
        ids = ids[: max(ids.rfind(","), 0)]
    try:
        return MemPolicy(text, mode, tuple(match[2].split("|")) if match[2] else (), NodeSet.parse(ids), not cut)
    except ParseError:
        return unknown
