"""# rank-with-few-cpus (EXAMPLE201)

A rank may use fewer CPUs than this site wants for one.

## What it checks

For each rank the number of CPUs that its main thread may use: at least `least_cpus` (4).

## Why it matters

This site's data loaders want a CPU each.

## Evidence

`/proc/PID/status` (Cpus_allowed_list). Unknown where the mask is not known.

## How to fix

Start fewer ranks, or give each more CPUs.

## How to verify

`taskset -pc PID` lists enough of them.

## False positives

A rank without data loaders.

## References

- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("EXAMPLE201", gate=Gate.PLACEMENT, category="oversubscription", severity=Severity.MEDIUM)
MESSAGE = "{who} may use {num_cpus} CPUs only ({cpus}); this site wants {least_cpus}."
FIX = "Give {who_inside} at least {least_cpus} CPUs."


class Thresholds(NamedTuple):
    """What a policy may change."""

    least_cpus: int = 4


def check(ranks: Ranks, limits: Thresholds) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield _judge(rank, limits)


def _judge(rank: Rank, limits: Thresholds) -> Judgement:
    cpus = rank.process.effective_cpus
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process))
    if len(cpus) >= limits.least_cpus:
        return ok(rank.subject, evidence=rank.process.evidence, cpus=cpus)
    return fail(
        rank.subject,
        related=rank.related,
        evidence=rank.process.evidence,
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        cpus=cpus,
        num_cpus=len(cpus),
        least_cpus=limits.least_cpus,
    )
