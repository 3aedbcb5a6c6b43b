"""What launchers say they did: lines of logs. A claim is never a process's mask; its PID is looked up in NSpid."""

from typing import NamedTuple

from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.join import Joiner
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.parse.claim import BINDING, SHOWN, Claim
from numaaudit.parse.claim import Claims as ClaimsOfText
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numactl_show import NumactlShow
from numaaudit.parse.parsers.taskset import Taskset, TasksetAffinity

# remarks of launchers on bindings that are not the process's own mask
_OTHER_ROLES = frozenset(("gpu-affinity", "process-affinity", "openmp", "engine-core", "acl", "release", "irq", "migrate", "cleared"))


class MadeClaim(NamedTuple):
    """A claim, the rank it is about where exactly one can be meant, and its line."""

    claim: Claim
    rank: Rank | None
    evidence: Evidence

    @property
    def is_mask(self) -> bool:
        """Whether it says which CPUs a whole process was given."""
        return self.claim.kind == BINDING and bool(self.claim.cpus) and self.claim.role not in _OTHER_ROLES


class Claims(NamedTuple):
    all: tuple[MadeClaim, ...]

    def last_mask(self, rank: Rank) -> MadeClaim | None:
        """The last line that says which CPUs a rank was given."""
        return next((made for made in reversed(self.all) if made.is_mask and made.rank == rank), None)


def join(
    texts: tuple[Found[ClaimsOfText], ...], shows: tuple[Found[NumactlShow], ...], tasksets: tuple[Found[Taskset], ...], ranks: Ranks
) -> Claims:
    """Every claim of every text, in order of file and line."""
    said = [(found.file, claim) for found in texts for claim in found.record.claims]
    said += [(found.file, found.record.claim) for found in shows]
    said += [(found.file, _of_taskset(each)) for found in tasksets for each in found.record.affinities]
    made = [MadeClaim(claim, _rank_of(claim, ranks), cite_line(file, claim.line)) for file, claim in said]
    return Claims(tuple(sorted(made, key=lambda each: (each.evidence.path, each.evidence.line or 0))))


def _of_taskset(each: TasksetAffinity) -> Claim:
    """What taskset printed of a task."""
    return Claim("taskset", SHOWN, None, each.pid, None, None, None, each.cpus, None, each.line, f"pid {each.pid}: {each.cpus}")


def _rank_of(claim: Claim, ranks: Ranks) -> Rank | None:
    """By PID in any namespace, else by rank, else by the launcher's number of the device, which is the local rank."""
    if claim.pid is not None:
        found = [rank for rank in ranks.all if claim.pid == rank.process.pid or claim.pid in rank.process.ns_pids]
    elif claim.rank is not None:
        found = [rank for rank in ranks.all if claim.rank in (rank.rank, rank.local_rank)]
    elif claim.gpu is not None:
        found = [rank for rank in ranks.all if claim.gpu == rank.local_rank]
    else:
        return None
    return found[0] if len(found) == 1 else None


JOINER = Joiner(join)
