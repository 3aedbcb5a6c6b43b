"""Boots a HostShape under QEMU, without hardware virtualisation, and runs one command inside it.

The guest sees the host's file system read-only at the same paths, so the command may be this Python and this checkout. What it
writes below ``RESULTS`` is on the host afterwards. ``setup.sh`` provides the emulator and the kernel.
"""

from __future__ import annotations

import lzma
import shlex
import shutil
import struct
import subprocess
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from shapes import HostShape, Placed, bridge_bus

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
BUILD = CHECKOUT / "build" / "lab"
KERNEL = BUILD / "kernel"
RESULTS = "/dev/shm/results"  # in the guest: a tmpfs of its own, so no directory of the host is hidden
PORTABLE, SHELL_SCRIPT = BUILD / "collect.pyz", BUILD / "collect.sh"  # the collector as single files
BOOT_LIMIT_S = 400
ATTEMPTS = 2

# Pages stay where they are between two looks at them: automatic balancing moves them (and hides those it is about to sample from
# move_pages(2)), khugepaged fills holes to make huge ones. Without services of PCIe ports (errors, hotplug) the kernel is up in half
# the time.
KERNEL_ARGUMENTS = (
    "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable pcie_ports=compat numa_balancing=disable transparent_hugepage=never"
)
_XZ = b"\xfd7zXZ\x00"

QEMU_DEVICES = {"accelerator": "pci-testdev", "nvme": "nvme,serial=lab", "nic": "virtio-net-pci,netdev=net{nth},romfile="}


class LabError(Exception):
    """The guest did not get as far as running its command, or the command failed."""


def run_in_guest(shape: HostShape, command: Sequence[str]) -> Path:
    """Boot, run, power off; the folder with the results. A QEMU that crashes is started once more, a command never."""
    results = BUILD / shape.name / "results"
    for _ in range(ATTEMPTS):
        _prepare(results, command)
        qemu = _boot(shape, results)
        if qemu == 0:
            return _checked(results)
    raise LabError(f"QEMU ended with {qemu} {ATTEMPTS} times:\n{_tail(_console(shape))}")


def _prepare(results: Path, command: Sequence[str]) -> None:
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    (results / "start").write_text(f"cd {shlex.quote(str(CHECKOUT))}\nexec {shlex.join(command)}\n")


def _boot(shape: HostShape, results: Path) -> int:
    """Exit status of QEMU; negative is the signal that ended it."""
    command = qemu_command(shape, _initramfs(shape), results)
    try:
        with _console(shape).open("wb") as console:
            qemu = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=console, stderr=console, timeout=BOOT_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise LabError(f"{shape.name} still ran after {BOOT_LIMIT_S} s:\n{_tail(_console(shape))}\n{_tail(results / 'output')}") from None
    return qemu.returncode


def _checked(results: Path) -> Path:
    exit_code = results / "exit-code"
    if not exit_code.exists():
        raise LabError(f"the guest powered off without running its command:\n{_tail(results.parent / 'console')}")
    if exit_code.read_text().strip() != "0":
        raise LabError(f"the guest's command ended with {exit_code.read_text().strip()}:\n{_tail(results / 'output')}")
    return results


def _console(shape: HostShape) -> Path:
    return BUILD / shape.name / "console"


def _tail(file: Path) -> str:
    return "\n".join(file.read_text(errors="replace").splitlines()[-40:]) if file.exists() else f"(no {file.name})"


def _initramfs(shape: HostShape) -> Path:
    """BusyBox, the kernel's modules and init.sh, packed by cpio."""
    folder = BUILD / shape.name / "initramfs"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "host"):
        (folder / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", folder / "bin")
    shutil.copytree(KERNEL, folder / "modules", ignore=shutil.ignore_patterns("vmlinuz"))
    shutil.copy(HERE / "init.sh", folder / "init")
    (folder / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
    image = folder.with_suffix(".cpio")
    with image.open("wb") as out:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], input=names.encode(), stdout=out, cwd=folder, check=True)
    return image


def qemu_command(shape: HostShape, initramfs: Path, results: Path) -> list[str]:
    return [
        "qemu-system-x86_64",
        *("-M", "q35", "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot"),
        # One host thread for all CPUs: with thread=multi QEMU 7.2 has crashed. A vendor, or two threads a core are refused.
        *("-accel", "tcg,thread=single", "-cpu", "max,vendor=GenuineIntel"),
        *("-kernel", str(_kernel()), "-initrd", str(initramfs), "-append", KERNEL_ARGUMENTS),
        *_shares(results),
        *_cpus_and_memory(shape),
        *_devices(shape),
    ]


def _kernel() -> Path:
    """Unpacked where it is packed by xz, for which an emulated CPU takes ten seconds (Documentation/arch/x86/boot.rst, payload_offset)."""
    packed = KERNEL / "vmlinuz"
    image = packed.read_bytes()
    unpacked = BUILD / f"vmlinux-{zlib.crc32(image):08x}"
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (image[0x1F1] + 1) * 512 + offset
    if not image.startswith(_XZ, start):
        return packed
    if not unpacked.exists():
        temporary = unpacked.with_name(f"{unpacked.name}.{threading.get_ident()}")
        temporary.write_bytes(lzma.LZMADecompressor().decompress(image[start : start + length]))
        temporary.rename(unpacked)
    return unpacked


def _shares(results: Path) -> Iterator[str]:
    """The 9p devices name bus pcie.0: left alone they land behind another host bridge and are refused."""
    yield from ("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap")
    yield from ("-device", "virtio-9p-pci,fsdev=host,mount_tag=host,bus=pcie.0")
    yield from ("-fsdev", f"local,id=results,path={str(results).replace(',', ',,')},security_model=none,multidevs=remap")
    yield from ("-device", "virtio-9p-pci,fsdev=results,mount_tag=results,bus=pcie.0")


def _cpus_and_memory(shape: HostShape) -> Iterator[str]:
    cores, threads = shape.cores_per_package, shape.threads_per_core
    yield from ("-smp", f"{len(shape.cpus)},sockets={shape.packages},cores={cores},threads={threads}")
    yield from ("-m", f"{sum(numa_node.memory_mib for numa_node in shape.numa_nodes)}M")
    for number, numa_node in enumerate(shape.numa_nodes):
        yield from ("-object", f"memory-backend-ram,id=memory{number},size={numa_node.memory_mib}M")
        yield from ("-numa", f"node,nodeid={number},memdev=memory{number}")
        for core in sorted({cpu // threads for cpu in numa_node.cpus}):
            yield from ("-numa", f"cpu,node-id={number},socket-id={core // cores},core-id={core % cores}")
    for source, row in enumerate(shape.distances):
        for target, distance in enumerate(row):
            yield from ("-numa", f"dist,src={source},dst={target},val={distance}")


def _devices(shape: HostShape) -> Iterator[str]:
    placed = shape.placed()
    for numa_node in sorted({place.device.numa_node for place in placed if place.device.numa_node is not None}):
        bridge = f"pxb-pcie,id=bridge{numa_node},bus_nr={bridge_bus(numa_node)},numa_node={numa_node},bus=pcie.0"
        yield from ("-device", bridge)
    for nth, place in enumerate(placed):
        yield from _device(nth, place)


def _device(nth: int, place: Placed) -> Iterator[str]:
    """A device behind a port of its NUMA node's host bridge, or on bus 0."""
    bus = f"pcie.0,addr={place.slot:#x}"
    if place.device.numa_node is not None:
        bus = f"port{nth}"
        port = f"pcie-root-port,id=port{nth},bus=bridge{place.device.numa_node},addr={place.slot:#x},chassis={nth},slot={nth}"
        yield from ("-device", port)
    if place.device.kind == "nic":
        yield from ("-netdev", f"user,id=net{nth},restrict=on")
    yield from ("-device", f"{QEMU_DEVICES[place.device.kind].format(nth=nth)},bus={bus}")
