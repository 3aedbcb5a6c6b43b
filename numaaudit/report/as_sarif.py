"""SARIF 2.1.0 (OASIS, 2020): the findings for code-scanning dashboards. One run, one result a finding, the fingerprint kept over runs.

Outcomes are SARIF's kinds: a failure is ``fail`` with a level, what cannot be judged is ``open``, a crashed rule is a notification of the
tool. A waived failure is there with its suppression. Locations are paths in the bundle, under the base ``BUNDLE``.
"""

from typing import Any
from urllib.parse import quote

from numaaudit import __version__
from numaaudit.core.visible import visible
from numaaudit.model.evidence import Evidence
from numaaudit.report.view import Input, Shown, shown
from numaaudit.rules import RULE_SET
from numaaudit.rules.engine import Audit, LoadedRule
from numaaudit.rules.finding import Outcome, Severity
from numaaudit.rules.page import summary

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note", Severity.INFO: "note",
}  # fmt: skip
_KINDS = {Outcome.FAIL: "fail", Outcome.UNKNOWN: "open", Outcome.PASS: "pass", Outcome.NOT_APPLICABLE: "notApplicable"}


def sarif_document(audit: Audit, source: Input, outcomes: frozenset[Outcome]) -> dict[str, Any]:
    """The log; ``outcomes`` are those whose findings it lists."""
    items = shown(audit, outcomes)
    judged = [item for item in items if item.outcome in _KINDS]
    crashed = [item for item in items if item.outcome is Outcome.ERROR]
    indices = {loaded.rule.code: index for index, loaded in enumerate(audit.rules)}
    driver = {"name": "numaaudit", "version": __version__, "rules": [_rule(loaded) for loaded in audit.rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not crashed, "toolExecutionNotifications": [_notification(item) for item in crashed]}],
        "originalUriBaseIds": {"BUNDLE": {"description": {"text": visible(source.path) or "this host"}}},
        "results": [_result(item, indices[item.finding.rule.code]) for item in judged],
        "properties": {
            "verdict": audit.verdict,
            "gates": {gate.value: state for gate, state in audit.gates.items()},
            "ruleSet": RULE_SET,
            "inputSha256": source.sha256,
        },
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(loaded: LoadedRule) -> dict[str, Any]:
    rule = loaded.rule
    return {
        "id": rule.code,
        "name": loaded.name,
        "shortDescription": {"text": summary(loaded.page)},
        "help": {"text": loaded.page.strip()},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.category, rule.gate.value]},
    }


def _result(item: Shown, index: int) -> dict[str, Any]:
    finding, judgement = item.finding, item.finding.judgement
    text = f"{item.message} {item.fix}" if item.fix else item.message
    result: dict[str, Any] = {
        "ruleId": finding.rule.code,
        "ruleIndex": index,
        "kind": _KINDS[item.outcome],
        "level": _LEVELS[item.severity] if item.outcome is Outcome.FAIL else "none",
        "message": {"text": visible(text)},
        "locations": [_location(item.subject, evidence) for evidence in item.evidence[:1]] or [_nowhere(item.subject)],
        "relatedLocations": [_location(item.subject, evidence) for evidence in item.evidence[1:]],
        "partialFingerprints": {"numaaudit/v1": finding.fingerprint},
        "properties": {
            "subject": visible(item.subject),
            "severity": item.severity.value,
            "confidence": judgement.confidence.value,
            "causedBy": finding.caused_by,
        },
    }
    if finding.waiver:
        result["suppressions"] = [{"kind": "external", "justification": visible(f"{finding.waiver.owner}: {finding.waiver.reason}")}]
    return result


def _location(subject: str, evidence: Evidence) -> dict[str, Any]:
    region = {"startLine": evidence.line, "snippet": {"text": visible(evidence.text)}} if evidence.line else None
    physical = {"artifactLocation": {"uri": _uri(evidence.file.origin), "uriBaseId": "BUNDLE"}} | ({"region": region} if region else {})
    return {"physicalLocation": physical} | _nowhere(subject)


def _nowhere(subject: str) -> dict[str, Any]:
    return {"logicalLocations": [{"name": visible(subject), "kind": "resource"}]}


def _uri(path: str) -> str:
    """A relative reference (RFC 3986): a first segment with a colon would be read as a scheme."""
    return quote(path.lstrip("/"), safe="/", errors="backslashreplace")


def _notification(item: Shown) -> dict[str, Any]:
    return {"level": "error", "message": {"text": item.message}, "associatedRule": {"id": item.finding.rule.code}}
