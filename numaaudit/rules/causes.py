"""Causes and consequences: which failure explains which, by what the rules declare."""

from collections import defaultdict
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from numaaudit.rules.finding import Finding, Outcome, Rule


def with_causes(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, each failure with the id of the first declared cause that failed for its subject."""
    findings = list(findings)
    failed: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.judgement.outcome is Outcome.FAIL:
            failed[finding.rule.code].append(finding)
    return [_with_cause(each, failed) if each.judgement.outcome is Outcome.FAIL else each for each in findings]


def _with_cause(finding: Finding, failed: dict[str, list[Finding]]) -> Finding:
    for code in finding.rule.caused_by:
        cause = next((each for each in failed.get(code, ()) if _explains(each, finding)), None)
        if cause:
            return finding._replace(caused_by=cause.id)
    return finding


def _explains(cause: Finding, finding: Finding) -> bool:
    """Whether it is about the same subject, or about one that the finding names as related."""
    subject = cause.judgement.subject
    return subject == finding.judgement.subject or subject in finding.judgement.related


def root_of(finding: Finding, by_id: dict[str, Finding]) -> Finding:
    """The cause of the cause, and so on, as far as causes count: a waived one explains nothing that is left to do."""
    while (cause := by_id.get(finding.caused_by or "")) and cause.counts:
        finding = cause
    return finding


def refuse_circles(rules: Iterable[Rule]) -> None:
    """ValueError where rules name each other as causes: what is folded under itself would be shown nowhere."""
    try:
        TopologicalSorter({rule.code: rule.caused_by for rule in rules}).prepare()
    except CycleError as error:
        raise ValueError(f"rules name each other as causes: {' '.join(error.args[1])}") from error
