"""Apply the policy's waivers to the findings of one host. The day is that of the evidence, never that of a clock."""

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase

from numaaudit.model.sections.system import System
from numaaudit.rules.finding import Finding, Outcome
from numaaudit.rules.waiver import Standing, Waiver, Waivers

_OPEN = (Outcome.FAIL, Outcome.UNKNOWN, Outcome.ERROR)


def waive(findings: Iterable[Finding], waivers: tuple[Waiver, ...], system: System) -> tuple[list[Finding], Waivers]:
    """The findings, failures with the first waiver in force that covers them, and what became of each waiver."""
    day = day_of(system.collected_at)
    standings = {waiver: _standing(waiver, system.hostname, day) for waiver in waivers}
    in_force = [waiver for waiver, standing in standings.items() if standing is Standing.UNMATCHED]
    waived = []
    for finding in findings:
        covering = [waiver for waiver in in_force if _covers(waiver, finding)]
        standings |= dict.fromkeys(covering if finding.judgement.outcome in _OPEN else (), Standing.USED)
        is_waived = bool(covering) and finding.judgement.outcome is Outcome.FAIL
        waived.append(finding._replace(waiver=covering[0]) if is_waived else finding)
    return waived, Waivers(standings)


def day_of(time: str | None) -> date | None:
    """The day in a time such as ``2026-11-29T10:15:00Z``; None for anything else."""
    try:
        return date.fromisoformat((time or "")[:10])
    except ValueError:
        return None


def _standing(waiver: Waiver, hostname: str | None, day: date | None) -> Standing:
    """What can be said before anything is matched: ``unmatched`` while it is in force."""
    if not fnmatchcase(hostname or "", waiver.scope):
        return Standing.OUT_OF_SCOPE
    if waiver.expires and day is None:
        return Standing.UNDATED
    return Standing.EXPIRED if waiver.expires and day and day > waiver.expires else Standing.UNMATCHED


def _covers(waiver: Waiver, finding: Finding) -> bool:
    return waiver.covers((finding.rule.code, finding.name), finding.judgement.subject, finding.fingerprint)
