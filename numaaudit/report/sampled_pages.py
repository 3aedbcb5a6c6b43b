"""The pages of a large process, which were sampled: its key in ``numaaudit.host/1``, and what people read."""

from collections.abc import Iterable
from typing import Any

from numaaudit.bundle.tree import Gap
from numaaudit.core.page_kinds import KINDS
from numaaudit.core.units import format_bytes
from numaaudit.model.sampled import COUNTED, by_node, percent, sample_of, total_bytes
from numaaudit.model.sections.processes import Process
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.page_sample import PageSample


def sampled_document(process: Process, topology: Topology) -> dict[str, Any] | None:
    """``processes[].sampled_pages``; null where numa_maps was read whole, or nothing was sampled.

    ``bytes`` is what was found resident, ``share_by_node`` the part of it on each NUMA node with the ends of its 95 % interval, null
    where too little is known; both of the kinds together that feed a GPU, and of each kind.
    """
    found = sample_of(process)
    if found is None:
        return None
    kinds = [kind for kind in KINDS if kind in COUNTED and any(each.kind == kind for each in found.record.strata)]
    numa_nodes = tuple(numa_node.id for numa_node in topology.numa_nodes)
    own = {kind: _part(process, found, (kind,), numa_nodes) for kind in kinds}
    return {"path": found.file.path, **_part(process, found, COUNTED, numa_nodes), "kinds": own}


def sampled_text(process: Process) -> str:
    """``about 4 GiB, 38 to 42 % on NUMA node 0, ... (95 % intervals of 4000 random pages)``; empty where nothing was sampled."""
    found = sample_of(process)
    if found is None:
        return ""
    shares = by_node(process, found, COUNTED)
    if isinstance(shares, Gap):
        return f"not known: {shares.reason}"
    size = format_bytes(int(total_bytes(found, COUNTED).estimate))
    parts = ", ".join(f"{percent(each.share)} % on NUMA node {number}" for number, each in shares.items())
    return f"about {size}, {parts} (95 % intervals of {_num_pages(found, COUNTED)} random pages)"


def sampled_cell(process: Process) -> str:
    """The same in a table: ``38 to 42 % of 4 GiB on 0``; empty where nothing is known."""
    found = sample_of(process)
    shares = by_node(process, found, COUNTED) if found else None
    if found is None or shares is None or isinstance(shares, Gap):
        return ""
    size = format_bytes(int(total_bytes(found, COUNTED).estimate))
    return ", ".join(f"{percent(each.share)} % of {size} on {number}" for number, each in shares.items())


def _part(process: Process, found: Found[PageSample], kinds: Iterable[str], numa_nodes: tuple[int, ...]) -> dict[str, Any]:
    wanted = frozenset(kinds)
    shares = by_node(process, found, wanted, numa_nodes)
    return {
        "num_pages": _num_pages(found, wanted),
        "bytes": int(total_bytes(found, wanted).estimate),
        "share_by_node": None
        if isinstance(shares, Gap)
        else {
            str(number): dict(zip(("share", "low", "high"), (round(value, 4) for value in each.share), strict=True))
            for number, each in shares.items()
        },
    }


def _num_pages(found: Found[PageSample], kinds: Iterable[str]) -> int:
    wanted = frozenset(kinds)
    return sum(each.present for each in found.record.strata if each.kind in wanted)
