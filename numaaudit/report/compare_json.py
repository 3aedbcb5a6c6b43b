"""``numaaudit.compare/1``: a comparison for machines. Keys are only ever added within /1."""

from collections.abc import Iterable
from typing import Any

from numaaudit import __version__
from numaaudit.compare.diff import Comparison
from numaaudit.compare.findings import FindingRow
from numaaudit.compare.snapshot import Fact, Pages, Snapshot
from numaaudit.report.compare_page import COLUMNS
from numaaudit.report.view import Input

SCHEMA = "numaaudit.compare/1"


def compare_document(made: Comparison, snapshots: tuple[Snapshot, ...], sources: tuple[Input, ...]) -> dict[str, Any]:
    """The document. What has one value a column is an object by the names of the columns."""
    return {
        "schema": SCHEMA,
        "tool_version": __version__,
        "inputs": [_input(*pair) for pair in zip(COLUMNS, snapshots, sources)],
        "verdict": made.verdict,
        "identity": made.identity,
        "differences": [
            {
                "group": row.group,
                "subject": row.subject,
                "aspect": row.aspect,
                "values": _by_column(map(_value, row.values)),
                "state": row.state,
            }
            for row in made.rows
        ],
        "notes": [
            {"kind": note.kind, "subject": note.subject, "columns": [COLUMNS[at] for at in note.columns], "restarted": note.restarted}
            for note in made.notes
        ],
        "findings": None if made.findings is None else [_finding(row) for row in made.findings],
        "not_compared": [{"group": each.group, "aspect": each.aspect, "subjects": list(each.subjects)} for each in made.unseen],
    }


def _input(name: str, snapshot: Snapshot, source: Input) -> dict[str, Any]:
    about = {"path": source.path, "kind": snapshot.kind, "sha256": source.sha256}
    return {"name": name, **about, "collected_at": snapshot.collected_at, "rule_set": snapshot.rule_set, "mark": snapshot.mark}


def _finding(row: FindingRow) -> dict[str, Any]:
    finding = row.finding
    return {
        "fingerprint": finding.key,
        "rule": finding.rule,
        "name": finding.name,
        "subject": finding.subject,
        "severity": finding.severity,
        "outcomes": _by_column(row.outcomes),
        "state": row.state,
    }


def _by_column(values: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(COLUMNS, values))


def _value(value: Fact) -> Any:
    return {str(number): size for number, size in sorted(value.bytes_by_node.items())} if isinstance(value, Pages) else value
