"""``.../nodes/N/io_links/M/properties`` and ``p2p_links`` of KFD (kernel ``amdkfd/kfd_topology.c``, ``iolink_show``)."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser

PCIE, XGMI = 2, 11  # link_type, kfd_crat.h


class KfdLink(NamedTuple):
    """A way from one KFD node to another. Weights compare on one host only."""

    link_type: int
    node_from: int
    node_to: int
    weight: int
    min_bandwidth_mbs: int | None  # MB/s; None: not known (printed as 0)
    max_bandwidth_mbs: int | None


def parse(text: str) -> KfdLink:
    """Read ``key value`` lines; ParseError for a value that is no number or a missing key."""
    values: dict[str, int] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(" ")
        values[key] = decimal(value, number)
    missing = [key for key in ("type", "node_from", "node_to", "weight") if key not in values]
    if missing:
        raise ParseError(f"no {missing[0]}")
    return KfdLink(
        values["type"], values["node_from"], values["node_to"], values["weight"],
        values.get("min_bandwidth") or None, values.get("max_bandwidth") or None,
    )  # fmt: skip


_NODES = "sys/class/kfd/kfd/topology/nodes/[0-9]*"
PARSER = Parser(parse, reads=(f"{_NODES}/io_links/[0-9]*/properties", f"{_NODES}/p2p_links/[0-9]*/properties"))
