"""Interrupts in the guest: traffic on a NIC whose queues a CPU far from it serves, and vectors that the kernel lets nobody move."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from shapes import HostShape

SERVED_BY = 2  # a CPU of NUMA node 0
MOVED_QUEUES = ("input", "output")
_PCI = Path("/sys/bus/pci/devices")
_GATEWAY = "10.0.2.2"  # QEMU's user network answers there, whatever it is restricted to
_PAUSE_S = "0.05"


def moved_nic(shape: HostShape) -> str | None:
    """PCI address of the first NIC that is not on the NUMA node of that CPU."""
    far = (place.pci_address for place in shape.placed("nic") if place.device.numa_node not in (None, 0))
    return next(far, None)


def start(shape: HostShape) -> subprocess.Popen[bytes] | None:
    address = moved_nic(shape)
    if address is None:
        return None
    (interface,) = (path.name for path in (_PCI / address).glob("virtio*/net/*"))
    _run("ip", "link", "set", interface, "up")
    _run("ip", "addr", "add", "10.0.2.15/24", "dev", interface)
    _move(address)
    return subprocess.Popen(["busybox", "ping", "-q", "-i", _PAUSE_S, _GATEWAY], stdout=subprocess.DEVNULL)


def stop(traffic: subprocess.Popen[bytes] | None) -> None:
    if traffic:
        traffic.kill()
        traffic.wait()


def observe(shape: HostShape) -> dict[str, dict[str, str | bool]]:
    """Vector of a NIC or NVMe controller to where it is delivered, and whether it is managed: then nobody may move it."""
    placed = (place for kind in ("nic", "nvme") for place in shape.placed(kind))
    return {number: _observed(Path("/proc/irq", number)) for place in placed for number in _vectors(place.pci_address)}


def _observed(folder: Path) -> dict[str, str | bool]:
    delivered = (folder / "effective_affinity_list").read_text().strip()
    try:
        (folder / "smp_affinity_list").write_text((folder / "smp_affinity_list").read_text())
    except OSError:  # EIO: irq_affinity_is_managed(), kernel/irq/proc.c
        return {"delivered_to": delivered, "is_managed": True}
    return {"delivered_to": delivered, "is_managed": False}


def _vectors(address: str) -> list[str]:
    return [path.name for path in (_PCI / address / "msi_irqs").iterdir()]


def _move(address: str) -> None:
    for number, name in _names(address):
        if any(queue in name for queue in MOVED_QUEUES):
            Path("/proc/irq", number, "smp_affinity_list").write_text(str(SERVED_BY))


def _names(address: str) -> Iterator[tuple[str, str]]:
    """Number and name of each vector that is in use, by /proc/interrupts."""
    vectors = _vectors(address)
    for line in Path("/proc/interrupts").read_text().splitlines():
        number = line.partition(":")[0].strip()
        if number in vectors:
            yield number, line.split()[-1]


def _run(*command: str) -> None:
    subprocess.run(["busybox", *command], check=True)
