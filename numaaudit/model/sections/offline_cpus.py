"""CPUs that are present and switched off: ``/sys/devices/system/cpu/{present,online}`` (Documentation/admin-guide/cputopology.rst)."""

from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import CPU, list_at


class OfflineCpus(NamedTuple):
    """``cpus`` None: the kernel's two lists are not both in the evidence, and ``gap`` says which is missing."""

    cpus: CpuSet | None
    evidence: tuple[Evidence, ...]
    gap: Gap | None


def join(tree: Tree) -> OfflineCpus:
    """Present without online."""
    present, online = (list_at(tree, f"{CPU}/{name}") for name in ("present", "online"))
    files = [tree.get(f"{CPU}/{name}") for name in ("present", "online")]
    gap = next((file for file in files if isinstance(file, Gap)), None)
    if present is None or online is None:
        return OfflineCpus(None, (), gap or Gap("unparsable", f"{CPU}/present", "not a list of CPUs"))
    return OfflineCpus(present - online, tuple(cite(file) for file in files if not isinstance(file, Gap)), None)


JOINER = Joiner(join)
