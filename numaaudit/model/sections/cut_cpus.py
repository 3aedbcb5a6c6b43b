"""Which layer took a rank's CPUs: from what was asked for down to what the rank has.

Whatever the layers leave may be replaced at any time by sched_setaffinity(2).
"""

from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.asked import asked_for
from numaaudit.model.cpu_layers import Around, Layer, layers_of
from numaaudit.model.evidence import Evidence
from numaaudit.model.join import Joiner
from numaaudit.model.locality import home_of
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.claims import Claims
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.pods import Pods
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline
from numaaudit.parse.parsers.systemctl_show import SystemctlShow


class CutRank(NamedTuple):
    """A rank that lacks CPUs that were asked for (``by`` whom), or all those of its GPU's NUMA node (``by`` None)."""

    rank: Rank
    by: str | None
    wanted: CpuSet
    evidence: tuple[Evidence, ...]
    layers: tuple[Layer, ...]

    @property
    def first(self) -> Layer:
        """The layer that was the first to take any."""
        return next(layer for layer in self.layers if layer.taken)

    @property
    def lost(self) -> CpuSet:
        """The wanted CPUs that the rank has not."""
        return self.wanted - self.layers[-1].cpus


class CutCpus(NamedTuple):
    """Every rank that was cut."""

    all: tuple[CutRank, ...]

    def by_subject(self, subject: str) -> CutRank | None:
        return next((cut for cut in self.all if cut.rank.subject == subject), None)


def join(
    ranks: Ranks,
    topology: Topology,
    cgroups: Cgroups,
    processes: Processes,
    claims: Claims,
    kubernetes: Kubernetes,
    pods: Pods,
    cmdlines: tuple[Found[ProcCmdline], ...],
    units: tuple[Found[SystemctlShow], ...],
) -> CutCpus:
    """Follow the CPUs of each rank down to what it has."""
    around = Around(topology, cgroups, units, kubernetes, pods)
    cuts = []
    for rank in ranks.all:
        asked, home = asked_for(rank, claims, processes, cmdlines, topology), home_of(rank, topology)
        if asked:
            cuts.append(_cut(rank, asked.by, asked.cpus, (asked.evidence,), around))
        elif not isinstance(home, Gap) and rank.process.effective_cpus and rank.process.effective_cpus.isdisjoint(home.cpus):
            cuts.append(_cut(rank, None, home.cpus, home.evidence, around))
    return CutCpus(tuple(cut for cut in cuts if cut))


def _cut(rank: Rank, by: str | None, wanted: CpuSet, evidence: tuple[Evidence, ...], around: Around) -> CutRank | None:
    """None where no layer took any: what the rank's own mask leaves out is a choice, unless it leaves out everything asked for."""
    cpus = rank.process.effective_cpus
    if not cpus or wanted <= cpus:
        return None
    layers = layers_of(rank.process, wanted, around)
    is_taken = any(layer.taken for layer in layers[:-1])
    is_replaced = by is not None and cpus.isdisjoint(wanted)
    return CutRank(rank, by, wanted, evidence, layers) if is_taken or is_replaced else None


JOINER = Joiner(join)
