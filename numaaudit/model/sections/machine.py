"""What kind of virtual machine or sandbox the evidence comes from: there CPUs, NUMA nodes and distances may be invented.

gVisor prints ``gVisor`` or its fixed build date in ``/proc/version`` (``pkg/abi/linux/uname.go``). Kata's guest boots
``systemd.unit=kata-containers.target``, or its agent with parameters ``agent.*`` (kata-containers ``docs/how-to``). Firecracker's ACPI
tables are by ``FIRECK`` (``src/acpi-tables``). Others: the CPU's flag "hypervisor", ``/sys/hypervisor/type``, lscpu's "Hypervisor
vendor", the kernel's "Hypervisor detected", and DMI as systemd-detect-virt(1) reads it. On x86 the flag decides: EC2's and Google's
DMI is the same on bare metal.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpuinfo import Cpuinfo
from numaaudit.parse.parsers.kernel_cmdline import KernelCmdline
from numaaudit.parse.parsers.kernel_log import KernelLog
from numaaudit.parse.parsers.lscpu import Lscpu

_SANDBOXES = ("gVisor", "Kata")
_GVISOR = re.compile(r"(?i)gvisor|#1 SMP Sun Jan 10 15:06:54 PST 2016")
_DMI = "root/sys/class/dmi/id/"
_VENDORS = (  # beginnings of sys_vendor, product_name, board_vendor or bios_vendor
    ("KubeVirt", "KVM"), ("OpenStack", "KVM"), ("KVM", "KVM"), ("Amazon EC2", "KVM"), ("QEMU", "QEMU"), ("VMware", "VMware"),
    ("VMW", "VMware"), ("innotek GmbH", "VirtualBox"), ("VirtualBox", "VirtualBox"), ("Xen", "Xen"), ("Bochs", "Bochs"),
    ("Parallels", "Parallels"), ("BHYVE", "bhyve"), ("Hyper-V", "Hyper-V"), ("Virtual Machine", "Hyper-V"),
    ("Google Compute Engine", "Google Compute Engine"), ("Apple Virtualization", "Apple Virtualization"),
)  # fmt: skip


class Machine(NamedTuple):
    """The sandbox or hypervisor by name; None for a machine of its own, and where nothing tells."""

    name: str | None

    @property
    def is_sandbox(self) -> bool:
        return self.name in _SANDBOXES


def join(
    tree: Tree,
    cpuinfos: tuple[Found[Cpuinfo], ...],
    lscpus: tuple[Found[Lscpu], ...],
    cmdlines: tuple[Found[KernelCmdline], ...],
    logs: tuple[Found[KernelLog], ...],
) -> Machine:
    """By the most specific that any source says."""
    return Machine(_name(tree, cpuinfos, lscpus, cmdlines, logs))


def _name(
    tree: Tree,
    cpuinfos: tuple[Found[Cpuinfo], ...],
    lscpus: tuple[Found[Lscpu], ...],
    cmdlines: tuple[Found[KernelCmdline], ...],
    logs: tuple[Found[KernelLog], ...],
) -> str | None:
    if _GVISOR.search(tree.text("root/proc/version") or ""):
        return "gVisor"
    if any(_is_kata(found.record) for found in cmdlines):
        return "Kata"
    flags = {found.record.is_virtual for found in cpuinfos} - {None}
    if flags == {False}:
        return None
    return next(iter([*_told(tree, lscpus, logs), *_by_dmi(tree)]), "a hypervisor" if True in flags else None)


def _is_kata(parameters: KernelCmdline) -> bool:
    return parameters.get("systemd.unit") == "kata-containers.target" or any(name.startswith("agent.") for name, _ in parameters.parameters)


def _told(tree: Tree, lscpus: tuple[Found[Lscpu], ...], logs: tuple[Found[KernelLog], ...]) -> Iterator[str]:
    """What names it, the most specific first."""
    yield from (found.record.hypervisor for found in logs if found.record.hypervisor)
    yield from (found.record.hypervisor for found in lscpus if found.record.hypervisor)
    kind = tree.text("root/sys/hypervisor/type")
    if kind:
        yield kind


def _by_dmi(tree: Tree) -> Iterator[str]:
    """EC2's instances that are whole machines say so in the name of their type."""
    texts = [tree.text(_DMI + name) or "" for name in ("product_name", "sys_vendor", "board_vendor", "bios_vendor")]
    if not texts[0].endswith(".metal"):
        yield from (kind for text in texts for start, kind in _VENDORS if text.startswith(start))


JOINER = Joiner(join)
