"""What the kubelet gave to whom: its state files, which record assignments and not what is in force.

``/var/lib/kubelet/{cpu_manager_state,memory_manager_state,device-plugins/kubelet_internal_checkpoint}`` (kubernetes
``pkg/kubelet/cm``). Entries of deleted pods linger until the next admission.
"""

from typing import NamedTuple

from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpu_manager_state import CpuManagerState
from numaaudit.parse.parsers.kubelet_checkpoint import KubeletCheckpoint
from numaaudit.parse.parsers.kubelet_config import KubeletConfig
from numaaudit.parse.parsers.memory_manager_state import MemoryManagerState


class Kubernetes(NamedTuple):
    """Each is None where its file is not in the evidence: a host without a kubelet has none of them."""

    cpu_manager: Found[CpuManagerState] | None
    memory_manager: Found[MemoryManagerState] | None
    devices: Found[KubeletCheckpoint] | None
    config: Found[KubeletConfig] | None

    def __bool__(self) -> bool:
        return any(part is not None for part in self)


def join(
    cpu: tuple[Found[CpuManagerState], ...],
    memory: tuple[Found[MemoryManagerState], ...],
    devices: tuple[Found[KubeletCheckpoint], ...],
    config: tuple[Found[KubeletConfig], ...],
) -> Kubernetes:
    """The first of each kind; a host has one."""
    return Kubernetes(next(iter(cpu), None), next(iter(memory), None), next(iter(devices), None), next(iter(config), None))


JOINER = Joiner(join)
