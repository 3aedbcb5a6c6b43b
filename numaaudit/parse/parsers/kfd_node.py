"""``/sys/class/kfd/kfd/topology/nodes/N/properties`` (kernel ``drivers/gpu/drm/amd/amdkfd/kfd_topology.c``, ``node_show``)."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class KfdNode(NamedTuple):
    """One KFD node. Its number (in the path) is KFD's own, not that of a NUMA node."""

    cpu_cores_count: int  # 0 for a GPU
    simd_count: int  # 0 for a CPU node
    vendor_id: int | None
    device_id: int | None
    pci_address: PciAddress | None  # domain and location_id; None for a CPU node
    drm_render_minor: int | None  # N of /dev/dri/renderDN; None for a CPU node
    hive_id: int | None  # equal for GPUs joined by xGMI; None: in no hive
    num_xcc: int | None  # compute dies in this partition


def parse(text: str) -> KfdNode:
    """Read ``key value`` lines; ParseError for a value that is no number, or without the two counts."""
    values: dict[str, int] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(" ")
        values[key] = decimal(value, number)
    if "cpu_cores_count" not in values or "simd_count" not in values:
        raise ParseError("no cpu_cores_count or no simd_count")
    is_gpu = values["simd_count"] > 0
    address = PciAddress.from_kfd(values.get("domain", 0), values["location_id"]) if is_gpu and "location_id" in values else None
    return KfdNode(
        values["cpu_cores_count"], values["simd_count"], values.get("vendor_id"), values.get("device_id"), address,
        values.get("drm_render_minor") if is_gpu else None, values.get("hive_id") or None, values.get("num_xcc"),
    )  # fmt: skip


PARSER = Parser(parse, reads=("sys/class/kfd/kfd/topology/nodes/[0-9]*/properties",))
