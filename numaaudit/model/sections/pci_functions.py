"""PCI functions: where each hangs and how wide its link is (kernel Documentation/ABI/testing/sysfs-bus-pci)."""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner

FOLDER = "root/sys/bus/pci/devices"
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class PciLink(NamedTuple):
    """A PCI Express link; speeds in GT/s, None where the device has none or says ``Unknown``."""

    speed_gts: float | None
    max_speed_gts: float | None
    width: int | None
    max_width: int | None


class PciFunction(NamedTuple):
    """One function. ``class_code`` is the 24-bit class as in the file: 0x030200 is a 3D controller.

    ``numa_node`` None: the file says -1 or is missing, and ``numa_node_gap`` tells which. ``upstream`` are the bridges above
    it, the host bridge's side first.
    """

    address: PciAddress
    class_code: int
    vendor: int | None
    device: int | None
    numa_node: int | None
    numa_node_gap: Gap | None
    numa_node_file: File | None
    local_cpus: CpuSet | None
    link: PciLink
    upstream: tuple[PciAddress, ...]
    width_files: tuple[File, ...] = ()  # current_link_width and max_link_width

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line with its NUMA node."""
        return (cite(self.numa_node_file),) if self.numa_node_file else ()

    @property
    def width_evidence(self) -> tuple[Evidence, ...]:
        """The lines with its current and its maximum link width."""
        return tuple(cite(file) for file in self.width_files)


class PciFunctions(NamedTuple):
    """Every function of the input by address."""

    by_address: dict[PciAddress, PciFunction]
    gaps: tuple[Gap, ...] = ()

    def of_class(self, *classes: int) -> list[PciFunction]:
        """Functions whose base class, or base and sub-class, is one of these (0x02 or 0x0108), in order of address."""
        return [
            function
            for _, function in sorted(self.by_address.items())
            if function.class_code >> 16 in classes or function.class_code >> 8 in classes
        ]


def join(tree: Tree) -> PciFunctions:
    """Read every function below /sys/bus/pci/devices."""
    functions, gaps = {}, []
    for name in tree.names(FOLDER):
        try:
            address = PciAddress.parse(name)
        except ParseError:
            continue
        class_code = _number(tree, f"{FOLDER}/{name}/class")
        if class_code is None:
            gaps.append(Gap("absent", f"{FOLDER}/{name}/class", "what this function is cannot be told"))
            continue
        functions[address] = _function(tree, name, address, class_code)
    return PciFunctions(functions, tuple(gaps))


def _function(tree: Tree, name: str, address: PciAddress, class_code: int) -> PciFunction:
    folder = f"{FOLDER}/{name}"
    file = tree.get(f"{folder}/numa_node")
    numa_node, gap = _numa_node(file)
    return PciFunction(
        address,
        class_code,
        _number(tree, f"{folder}/vendor"),
        _number(tree, f"{folder}/device"),
        numa_node,
        gap,
        None if isinstance(file, Gap) else file,
        _local_cpus(tree, folder),
        _link(tree, folder),
        upstream_of(tree, folder),
        tuple(file for name in ("current", "max") if isinstance(file := tree.get(f"{folder}/{name}_link_width"), File)),
    )


def _numa_node(file: File | Gap) -> tuple[int | None, Gap | None]:
    if isinstance(file, Gap):
        return None, file
    text = file.text.strip(" \n\0")
    if text == "-1":
        return None, Gap("absent", file.path, "the firmware names no NUMA node (-1)")
    if not re.fullmatch(r"\d{1,4}", text):
        return None, Gap("unparsable", file.path, "not a number")
    return int(text), None


def _number(tree: Tree, path: str) -> int | None:
    text = tree.text(path)
    return int(text, 16) if text and re.fullmatch(r"0x[0-9a-fA-F]{1,8}", text) else None


def _local_cpus(tree: Tree, folder: str) -> CpuSet | None:
    for name, read in (("local_cpulist", CpuSet.parse), ("local_cpus", CpuSet.from_mask)):
        text = tree.text(f"{folder}/{name}")
        try:
            if text:
                return read(text)
        except ParseError:
            continue
    return None


def _link(tree: Tree, folder: str) -> PciLink:
    speeds = [tree.text(f"{folder}/{name}_link_speed") for name in ("current", "max")]
    widths = [tree.text(f"{folder}/{name}_link_width") for name in ("current", "max")]
    return PciLink(_speed(speeds[0]), _speed(speeds[1]), _width(widths[0]), _width(widths[1]))


def _speed(text: str | None) -> float | None:
    """``16.0 GT/s PCIe``, ``8 GT/s``, ``Unknown``."""
    match = re.match(r"(\d{1,4}(?:\.\d{1,3})?) GT/s", text or "")
    return float(match[1]) if match else None


def _width(text: str | None) -> int | None:
    """0, 63 and 255 are how the kernel and hardware say unknown."""
    return int(text) if text and text.isascii() and text.isdigit() and text not in ("0", "63", "255") else None


def upstream_of(tree: Tree, folder: str) -> tuple[PciAddress, ...]:
    """The bridges in the target of the function's link, ``../../../devices/pci0000:16/0000:16:01.0/0000:17:00.0``."""
    target = tree.link(folder)
    if isinstance(target, Gap):
        return ()
    return tuple(PciAddress.parse(part) for part in target.split("/")[:-1] if _ADDRESS.fullmatch(part))


JOINER = Joiner(join)
