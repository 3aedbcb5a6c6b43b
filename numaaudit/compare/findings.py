"""Findings by fingerprint: new, fixed, unchanged, undecidable."""

from typing import NamedTuple

from numaaudit.compare.snapshot import Recorded, Snapshot
from numaaudit.core.errors import InputError
from numaaudit.rules.finding import Finding, Outcome, Severity

NEW, FIXED, UNCHANGED, UNDECIDABLE = "new", "fixed", "unchanged", "undecidable"
FAIL = Outcome.FAIL.value
_OPEN = (Outcome.UNKNOWN.value, Outcome.ERROR.value)


class FindingRow(NamedTuple):
    """A finding that fails in some column. ``outcomes``: None where it is not listed; ``state`` is that of after against base."""

    finding: Recorded
    outcomes: tuple[str | None, ...]
    state: str

    def is_new(self, column: int) -> bool:
        """Whether it fails in a column and did not in the first."""
        return self.outcomes[column] == FAIL and self.outcomes[0] != FAIL


def finding_rows(snapshots: tuple[Snapshot, ...]) -> tuple[FindingRow, ...] | None:
    """None where some column has no findings to compare."""
    columns = [_Column(snapshot.findings) for snapshot in snapshots if snapshot.findings is not None]
    if len(columns) < len(snapshots):
        return None
    failing = {each.key: each for column in reversed(columns) for each in column.by_key.values() if each.outcome == FAIL}
    rows: dict[tuple[str, str, tuple[str | None, ...]], FindingRow] = {}
    for shown in failing.values():
        outcomes = tuple(column.outcome_of(shown) for column in columns)
        rows.setdefault((shown.rule, shown.subject, outcomes), FindingRow(shown, outcomes, state_of(outcomes[0], outcomes[1])))
    return tuple(sorted(rows.values(), key=_order))


class _Column:
    """The findings of one snapshot, to be looked up by those of another."""

    def __init__(self, findings: tuple[Recorded, ...]) -> None:
        self.by_key = {each.key: each for each in findings}
        self._by_subject = {(each.rule, each.subject): each for each in sorted(findings, key=lambda each: each.outcome == FAIL)}

    def outcome_of(self, finding: Recorded) -> str | None:
        """By fingerprint, else of the same subject (a card may have a UUID on one side only), else what keeps the whole rule
        from judging; None where nothing is listed."""
        found = self.by_key.get(finding.key) or self._by_subject.get((finding.rule, finding.subject))
        if found is None:
            whole = self._by_subject.get((finding.rule, "host"))
            found = whole if whole and whole.outcome in _OPEN else None
        return found.outcome if found else None


def state_of(before: str | None, after: str | None) -> str:
    """What became of a finding. One that cannot be judged any more is not fixed, and one that could not be judged is not new."""
    if before == FAIL and after == FAIL:
        return UNCHANGED
    if FAIL not in (before, after) or before in _OPEN or after in _OPEN:
        return UNDECIDABLE
    return NEW if after == FAIL else FIXED


def not_failing_in(baseline: Snapshot, path: str, failing: list[Finding]) -> list[Finding]:
    """The failures that do not fail in a baseline. InputError for one that has no findings, where everything would be new."""
    if baseline.findings is None:
        raise InputError(f"{path}: has no findings to take for a baseline", "numaaudit check INPUT --format json -o FILE writes one")
    known = {each.key for each in baseline.findings if each.outcome == FAIL}
    return [finding for finding in failing if finding.fingerprint not in known]


def counts(severity: str, fail_on: Severity) -> bool:
    """Whether a finding is severe enough to decide."""
    return severity in set(Severity) and Severity(severity).rank <= fail_on.rank


def _order(row: FindingRow) -> tuple[object, ...]:
    states = (NEW, UNDECIDABLE, UNCHANGED, FIXED)
    kind, _, value = row.finding.subject.partition(":")
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
    return (states.index(row.state), row.finding.rule, kind, number, value, row.finding.key)
