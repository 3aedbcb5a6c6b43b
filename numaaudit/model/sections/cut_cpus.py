"""Which layer took a rank's CPUs: from what was asked for, down the control groups, to what is online and what the rank has.

An affinity mask is cut by every cpuset above the process (cpuset(7), Documentation/admin-guide/cgroup-v2.rst) and by CPUs that are
offline; whatever is left may be replaced at any time by sched_setaffinity(2).
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.asked import asked_for
from numaaudit.model.evidence import Evidence
from numaaudit.model.join import Joiner
from numaaudit.model.locality import home_of
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.claims import Claims
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline


class Layer(NamedTuple):
    """What a layer lets through of all CPUs, and which of the wanted it is the first to take. ``owner`` None: nobody, or not known."""

    name: str
    owner: str | None
    cpus: CpuSet
    taken: CpuSet
    evidence: tuple[Evidence, ...]


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
    ranks: Ranks, topology: Topology, cgroups: Cgroups, processes: Processes, claims: Claims, cmdlines: tuple[Found[ProcCmdline], ...]
) -> CutCpus:
    """Follow the CPUs of each rank down to what it has."""
    cuts = []
    for rank in ranks.all:
        asked, home = asked_for(rank, claims, processes, cmdlines, topology), home_of(rank, topology)
        if asked:
            cuts.append(_cut(rank, asked.by, asked.cpus, (asked.evidence,), topology, cgroups))
        elif not isinstance(home, Gap) and rank.process.effective_cpus and rank.process.effective_cpus.isdisjoint(home.cpus):
            cuts.append(_cut(rank, None, home.cpus, home.evidence, topology, cgroups))
    return CutCpus(tuple(cut for cut in cuts if cut))


def _cut(
    rank: Rank, by: str | None, wanted: CpuSet, evidence: tuple[Evidence, ...], topology: Topology, cgroups: Cgroups
) -> CutRank | None:
    """None where no layer took any: what the rank's own mask leaves out is a choice, unless it leaves out everything asked for."""
    cpus = rank.process.effective_cpus
    if not cpus or wanted <= cpus:
        return None
    layers = tuple(_layers(rank, wanted, cpus, topology, cgroups))
    is_taken = any(layer.taken for layer in layers[:-1])
    is_replaced = by is not None and cpus.isdisjoint(wanted)
    return CutRank(rank, by, wanted, evidence, layers) if is_taken or is_replaced else None


def _layers(rank: Rank, wanted: CpuSet, cpus: CpuSet, topology: Topology, cgroups: Cgroups) -> Iterator[Layer]:
    """From the root of the control groups down; a group is not to blame for CPUs that are offline."""
    left, online = wanted, topology.online or wanted
    for group in reversed(cgroups.chain(rank.process.pid)):
        if group.effective_cpus:
            taken = (left & online) - group.effective_cpus
            left -= taken
            yield Layer(f"cgroup {group.path}", group.owner, group.effective_cpus, taken, group.evidence)
    if topology.online:
        yield Layer("online CPUs", None, topology.online, left - topology.online, ())
    yield Layer("its own mask", None, cpus, (left & online) - cpus, rank.process.evidence)


JOINER = Joiner(join)
