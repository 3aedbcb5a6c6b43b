"""What launchers say they did: lines of logs. A claim is never a process's mask; its PID is looked up in NSpid."""

from typing import NamedTuple

from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.join import Joiner
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.parse.claim import Claim
from numaaudit.parse.claim import Claims as ClaimsOfText
from numaaudit.parse.parser import Found


class MadeClaim(NamedTuple):
    """A claim, the rank it is about where exactly one can be meant, and its line."""

    claim: Claim
    rank: Rank | None
    evidence: Evidence


class Claims(NamedTuple):
    all: tuple[MadeClaim, ...]


def join(texts: tuple[Found[ClaimsOfText], ...], ranks: Ranks) -> Claims:
    """Every claim of every text, in order of file and line."""
    made = [MadeClaim(claim, _rank_of(claim, ranks), cite_line(found.file, claim.line)) for found in texts for claim in found.record.claims]
    return Claims(tuple(sorted(made, key=lambda each: (each.evidence.path, each.evidence.line or 0))))


def _rank_of(claim: Claim, ranks: Ranks) -> Rank | None:
    """By PID in any namespace, else by rank."""
    if claim.pid is not None:
        found = [rank for rank in ranks.all if claim.pid == rank.process.pid or claim.pid in rank.process.ns_pids]
    elif claim.rank is not None:
        found = [rank for rank in ranks.all if claim.rank in (rank.rank, rank.local_rank)]
    else:
        return None
    return found[0] if len(found) == 1 else None


JOINER = Joiner(join)
