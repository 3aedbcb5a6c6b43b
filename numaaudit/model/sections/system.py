"""The host itself: its name, kernel, boot, and the settings of the kernel that move memory."""

import re
from typing import NamedTuple

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.marks import MARKS
from numaaudit.core.viewpoint import has_lxcfs, is_contained, unseen
from numaaudit.model.join import Joiner
from numaaudit.model.sections.machine import Machine
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.date import Date
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.mounts import Mounts
from numaaudit.parse.parsers.uname import Uname
from numaaudit.parse.parsers.version import KernelVersion


class System(NamedTuple):
    """``view``: host, container, vm or sandbox: whose CPUs and NUMA nodes the numbers name. None: not told.

    ``machine``: the sandbox or hypervisor by name, also around a container; None for a machine of its own.
    """

    hostname: str | None
    kernel: str | None
    arch: str | None
    boot_id: str | None
    collected_at: str | None
    view: str
    numa_balancing: int | None  # /proc/sys/kernel/numa_balancing, a bit mask: 1 balancing, 2 memory tiering
    zone_reclaim_mode: int | None  # /proc/sys/vm/zone_reclaim_mode
    thp: str | None  # the bracketed word of /sys/kernel/mm/transparent_hugepage/enabled
    machine: str | None = None
    mark: str | None = None  # what the collection is in a comparison (collect --mark)
    gaps: tuple[Gap, ...] = ()  # what cannot be seen from here


def join(
    tree: Tree,
    manifest: Manifest | None,
    unames: tuple[Found[Uname], ...],
    lscpus: tuple[Found[Lscpu], ...],
    dates: tuple[Found[Date], ...],
    versions: tuple[Found[KernelVersion], ...],
    mounts: tuple[Found[Mounts], ...],
    machine: Machine,
) -> System:
    """The manifest knows host and time; /proc, uname, lscpu and the date in a transcript the rest."""
    uname = unames[0].record if unames else None
    hostname = (
        (manifest.hostname if manifest else None) or tree.text("root/proc/sys/kernel/hostname") or (uname.hostname if uname else None)
    )
    version = versions[0].record.release if versions else None
    kernel = tree.text("root/proc/sys/kernel/osrelease") or version or (uname.kernel if uname else None)
    arch = (uname.machine if uname else None) or next((found.record.architecture for found in lscpus if found.record.architecture), None)
    boot_id = (manifest.boot_id if manifest else None) or tree.text("root/proc/sys/kernel/random/boot_id")
    namespaces = manifest.collector.get("namespaces") if manifest else None
    own, points = namespaces if isinstance(namespaces, dict) else {}, _points(mounts)
    thp = re.search(r"\[(\w+)\]", tree.text("root/sys/kernel/mm/transparent_hugepage/enabled") or "")
    return System(
        hostname,
        kernel,
        arch,
        boot_id,
        manifest.collected_at if manifest else next((found.record.utc for found in dates if found.record.utc), None),
        _view(machine, is_contained(own) or has_lxcfs(points)),
        _setting(tree, "kernel/numa_balancing"),
        _setting(tree, "vm/zone_reclaim_mode"),
        thp[1] if thp else None,
        machine.name,
        manifest.mark if manifest and manifest.mark in MARKS else None,
        tuple(Gap("absent", "", f"not seen from here: {what}") for what in unseen(own, points)),
    )


def _setting(tree: Tree, name: str) -> int | None:
    text = tree.text(f"root/proc/sys/{name}")
    return int(text) if text and text.isascii() and text.isdigit() else None


def _view(machine: Machine, is_container: bool) -> str:
    """A container in a virtual machine is a container; what the machine takes away is said by its name."""
    if machine.is_sandbox:
        return "sandbox"
    if is_container:
        return "container"
    return "vm" if machine.name else "host"


def _points(mounts: tuple[Found[Mounts], ...]) -> list[tuple[str, str]]:
    """Kind and mount point of each."""
    return [(mount.kind, mount.target) for found in mounts[:1] for mount in found.record.mounts]


JOINER = Joiner(join)
