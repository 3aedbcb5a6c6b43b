"""``numaaudit.report/1``: the audit for machines. Keys are only ever added within /1."""

import json
from typing import Any

from numaaudit import __version__
from numaaudit.model.evidence import Evidence
from numaaudit.model.host import Host
from numaaudit.model.sections.cut_cpus import CutCpus
from numaaudit.report.cut_text import cut_documents
from numaaudit.report.view import Input, Shown, plain, sha256_of, shown
from numaaudit.rules import RULE_SET
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Outcome
from numaaudit.rules.waiver import Waiver

SCHEMA = "numaaudit.report/1"


def report_document(audit: Audit, host: Host, source: Input, everything: frozenset[Outcome]) -> dict[str, Any]:
    """The document; ``everything`` are the outcomes whose findings it lists. ``summary`` counts all (rule, subject) pairs."""
    return {
        "schema": SCHEMA,
        "tool_version": __version__,
        "rule_set": RULE_SET,
        "input": {"path": source.path, "kind": source.kind, "sha256": source.sha256},
        "policy": {"path": source.policy or None, "profile": source.profile, "plugins": list(source.plugins)},
        "verdict": audit.verdict,
        "gates": {gate.value: state for gate, state in audit.gates.items()},
        "summary": {
            outcome.value: audit.count(outcome)
            for outcome in (Outcome.FAIL, Outcome.UNKNOWN, Outcome.PASS, Outcome.NOT_APPLICABLE, Outcome.ERROR)
        }
        | {"waived": audit.num_waived},
        "cut_cpus": cut_documents(host.section(CutCpus).all),
        "findings": [_finding(item) for item in shown(audit, everything)],
    }


def dump(document: dict[str, Any]) -> str:
    """Stable text of a document: keys in the order they were made, one trailing newline."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _finding(item: Shown) -> dict[str, Any]:
    finding, judgement, rule = item.finding, item.finding.judgement, item.finding.rule
    return {
        "id": finding.id,
        "rule": rule.code,
        "name": finding.name,
        "category": rule.category,
        "gate": rule.gate.value,
        "outcome": judgement.outcome.value,
        "severity": finding.severity.value,
        "confidence": judgement.confidence.value,
        "subject": judgement.subject,
        "related": list(judgement.related),
        "fingerprint": finding.fingerprint,
        "message": item.message,
        "facts": {name: plain(value) for name, value in judgement.facts.items()},
        "thresholds": dict(judgement.thresholds),
        "caused_by": finding.caused_by,
        "waiver": _waiver(finding.waiver),
        "experimental": rule.experimental,
        "evidence": [_evidence(evidence) for evidence in item.evidence],
        "fix": {"summary": item.fix, "commands": list(item.commands)},
        "gaps": [gap._asdict() for gap in judgement.gaps],
    }


def _waiver(waiver: Waiver | None) -> dict[str, Any] | None:
    if waiver is None:
        return None
    expires = waiver.expires.isoformat() if waiver.expires else None
    return {"target": waiver.target, "reason": waiver.reason, "owner": waiver.owner, "expires": expires, "scope": waiver.scope}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    file = evidence.file
    return {"path": file.path, "origin": file.origin, "line": evidence.line, "text": evidence.text, "sha256": sha256_of(file)}
