"""GPUs that have no memory of their own, and what processes allocated on them.

AMD's MI300A shares the memory of its NUMA node with the CPUs; KFD still counts what a process allocated on it as
``/sys/class/kfd/kfd/proc/PID/vram_GPUID``, in bytes (kernel ``drivers/gpu/drm/amd/amdkfd/kfd_process.c``). The kernel counts
these pages neither as anonymous nor as file pages of the NUMA node.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.gpus import Gpu
from numaaudit.model.join import Joiner
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import PciFunctions

_AMD = 0x1002
_DEVICES = (0x74A0,)  # pci.ids: Aqua Vanjaram [Instinct MI300A]


class Allocation(NamedTuple):
    """What one process has on one GPU; the PID is the host's."""

    pid: int
    bytes: int
    evidence: Evidence


class Apu(NamedTuple):
    """A GPU without memory of its own, and the allocations on it by PID, none of 0 bytes."""

    gpu: Gpu
    allocations: tuple[Allocation, ...]

    @property
    def allocated_bytes(self) -> int:
        return sum(each.bytes for each in self.allocations)


class Apus(NamedTuple):
    all: tuple[Apu, ...]


def join(tree: Tree, devices: Devices, kfd: Kfd, functions: PciFunctions) -> Apus:
    """The GPUs of a kind that is known to share memory, in order of address."""
    return Apus(tuple(Apu(gpu, _allocations(tree, gpu, kfd)) for gpu in devices.gpus if _shares_memory(gpu, functions)))


def _shares_memory(gpu: Gpu, functions: PciFunctions) -> bool:
    function = functions.by_address.get(gpu.pci_address) if gpu.pci_address else None
    return function is not None and function.vendor == _AMD and function.device in _DEVICES


def _allocations(tree: Tree, gpu: Gpu, kfd: Kfd) -> tuple[Allocation, ...]:
    ids = [entry.gpu_id for entry in kfd.nodes if entry.pci_address and gpu.pci_address and entry.pci_address.slot == gpu.pci_address.slot]
    found = []
    for number in ids:
        for path in tree.glob(f"root/sys/class/kfd/kfd/proc/[0-9]*/vram_{number}"):
            file = tree.get(path)
            if not isinstance(file, Gap) and re.fullmatch(r"[1-9]\d{0,18}\n?", file.text):
                found.append(Allocation(int(path.split("/")[-2]), int(file.text), cite(file)))
    return tuple(found)


JOINER = Joiner(join)
