"""# waiver-expired-or-unmatched (NA810)

A waiver of the policy no longer holds, or waives nothing.

## What it checks

Each waiver of the policy file that is for this host (`scope`), after all other rules have judged. `low` when the last day on
which it holds is before the day on which the evidence was collected: what it waived counts again. `info` when nothing that
failed, and nothing that could not be judged, is what it is about. Not applicable to a waiver in use, or for other hosts.

## Why it matters

A waiver is a promise to come back. One that nobody comes back to hides the next failure of the same kind, and one that matches
nothing was mistyped, or its cause was fixed and it should go.

## Evidence

The policy file, and the time in the bundle's manifest: never a clock, so that a bundle gives the same answer next year. Unknown
where the evidence does not say when it was collected: the waiver is then not applied.

## How to fix

Fix the cause, or let the owner give a new reason and date. Remove what matches nothing.

## How to verify

`numaaudit check INPUT --policy FILE` names the waiver no more.

## False positives

A waiver for a failure that comes and goes matches nothing while it is gone.

## References

- https://docs.python.org/3/library/fnmatch.html
- https://yaml.org/spec/1.1/
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, unknown
from numaaudit.rules.waiver import Standing, Waiver, Waivers

RULE = Rule("NA810", gate=Gate.PLACEMENT, category="evidence-gap", severity=Severity.LOW)
MESSAGE = "The waiver of {owner} for {target} ({reason}) held until {expires}, and the evidence is later."
MESSAGES = {"unmatched": "The waiver of {owner} for {target} ({reason}) waives nothing that was found here."}
FIX = "Let {owner} renew or remove the waiver in line {line} of the policy."


def check(waivers: Waivers) -> Iterator[Judgement]:
    for waiver, standing in waivers.standings.items():
        yield _judge(f"waiver:{waiver.line}", waiver, standing)


def _judge(subject: str, waiver: Waiver, standing: Standing) -> Judgement:
    if standing is Standing.EXPIRED:
        return _failure(subject, waiver)
    if standing is Standing.UNMATCHED:
        return _failure(subject, waiver)._replace(severity=Severity.INFO, message="unmatched")
    if standing is Standing.UNDATED:
        return unknown(subject, Gap("absent", "manifest.json", "when the evidence was collected is not known"))
    return not_applicable(subject)


def _failure(subject: str, waiver: Waiver) -> Judgement:
    return fail(
        subject,
        canonical=f"waiver {waiver.target} {waiver.owner}",
        target=waiver.target,
        owner=waiver.owner,
        reason=waiver.reason,
        expires=str(waiver.expires),
        line=waiver.line,
    )
