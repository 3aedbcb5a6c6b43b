"""The host itself: its name, kernel, boot, and the settings of the kernel that move memory."""

import re
from typing import NamedTuple

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Gap, Tree
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpuinfo import Cpuinfo
from numaaudit.parse.parsers.date import Date
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.uname import Uname


class System(NamedTuple):
    """``view``: host, container, vm or sandbox: whose CPUs and NUMA nodes the numbers name. None: not told."""

    hostname: str | None
    kernel: str | None
    arch: str | None
    boot_id: str | None
    collected_at: str | None
    view: str
    numa_balancing: int | None  # /proc/sys/kernel/numa_balancing, a bit mask: 1 balancing, 2 memory tiering
    zone_reclaim_mode: int | None  # /proc/sys/vm/zone_reclaim_mode
    thp: str | None  # the bracketed word of /sys/kernel/mm/transparent_hugepage/enabled
    gaps: tuple[Gap, ...] = ()


def join(
    tree: Tree,
    manifest: Manifest | None,
    unames: tuple[Found[Uname], ...],
    lscpus: tuple[Found[Lscpu], ...],
    cpuinfos: tuple[Found[Cpuinfo], ...],
    dates: tuple[Found[Date], ...],
) -> System:
    """The manifest knows host and time; /proc, uname, lscpu and the date in a transcript the rest."""
    uname = unames[0].record if unames else None
    hostname = (
        (manifest.hostname if manifest else None) or tree.text("root/proc/sys/kernel/hostname") or (uname.hostname if uname else None)
    )
    kernel = tree.text("root/proc/sys/kernel/osrelease") or _release(tree.text("root/proc/version")) or (uname.kernel if uname else None)
    arch = (uname.machine if uname else None) or next((found.record.architecture for found in lscpus if found.record.architecture), None)
    boot_id = (manifest.boot_id if manifest else None) or tree.text("root/proc/sys/kernel/random/boot_id")
    thp = re.search(r"\[(\w+)\]", tree.text("root/sys/kernel/mm/transparent_hugepage/enabled") or "")
    return System(
        hostname,
        kernel,
        arch,
        boot_id,
        manifest.collected_at if manifest else next((found.record.utc for found in dates if found.record.utc), None),
        _view(tree, manifest, lscpus, cpuinfos),
        _setting(tree, "kernel/numa_balancing"),
        _setting(tree, "vm/zone_reclaim_mode"),
        thp[1] if thp else None,
    )


def _release(version: str | None) -> str | None:
    match = re.match(r"Linux version (\S+)", version or "")
    return match[1] if match else None


def _setting(tree: Tree, name: str) -> int | None:
    text = tree.text(f"root/proc/sys/{name}")
    return int(text) if text and text.isascii() and text.isdigit() else None


def _view(tree: Tree, manifest: Manifest | None, lscpus: tuple[Found[Lscpu], ...], cpuinfos: tuple[Found[Cpuinfo], ...]) -> str:
    if "gVisor" in (tree.text("root/proc/version") or ""):
        return "sandbox"
    if manifest and manifest.collector.get("container"):
        return "container"
    if "fuse.lxcfs" in (tree.text("root/proc/mounts") or ""):
        return "container"
    if any(found.record.is_virtual for found in cpuinfos) or any(found.record.hypervisor for found in lscpus):
        return "vm"
    return "host"


JOINER = Joiner(join)
