"""The comparison of two or three pieces of evidence, and its verdict."""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.compare.findings import FIXED, NEW, UNDECIDABLE, FindingRow, counts, finding_rows
from numaaudit.compare.notes import PAGES, Note, notes_of
from numaaudit.compare.roles import match
from numaaudit.compare.snapshot import Fact, Snapshot, by_slot
from numaaudit.compare.table import ABSENT, BOOT, MACHINE, PLACEMENT, PRESENCE, Line, lines_of
from numaaudit.rules.finding import Severity

CHANGED, RESTORED, NOT_RESTORED = "changed", "restored", "not-restored"
SAME, DIFFERENT, UNKNOWN = "same", "different", "unknown"
BASE, AFTER, ROLLBACK = 0, 1, 2

WHICH, PROOF = "which is which", "masks and pages"

# A line that says the same as a broader one of the same subject is left out.
_BROADER = {"effective_cpus": "allowed_cpus", "thread_cpus": "allowed_cpus", "thread_policies": "policy", "mapping_policies": "policy"}


class Row(NamedTuple):
    """A line whose columns differ. ``state``: changed between two; restored, not-restored or undecidable of a rollback."""

    group: str
    subject: str
    aspect: str
    values: tuple[Fact, ...]
    state: str


class Unseen(NamedTuple):
    """What could not be compared: an aspect of these subjects is not known in some column; without an aspect the whole group."""

    group: str
    aspect: str
    subjects: tuple[str, ...]


class Comparison(NamedTuple):
    """``identity``: whether all columns are the same machine. ``findings`` None: some column has none to compare."""

    identity: str
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    findings: tuple[FindingRow, ...] | None
    unseen: tuple[Unseen, ...]
    verdict: str


def compare(snapshots: tuple[Snapshot, ...], fail_on: Severity = Severity.MEDIUM) -> Comparison:
    """Compare (base, after) or (base, after, rollback). Of different machines only the difference is told."""
    if any(snapshot.cards is None for snapshot in snapshots):
        snapshots = tuple(map(by_slot, snapshots))
    matching = match(tuple(snapshot.roles for snapshot in snapshots))
    lines = list(lines_of(snapshots, matching))
    identity = _identity(lines, snapshots)
    if identity == DIFFERENT:
        return Comparison(DIFFERENT, tuple(_rows([line for line in lines if line.group == MACHINE])), (), None, (), "refused")
    rows = tuple(_without_echoes(list(_rows(lines))))
    unseen = (Unseen(PLACEMENT, WHICH, matching.ambiguous), Unseen(PLACEMENT, PROOF, tuple(_without_proof(lines))), *_unseen(lines))
    told = tuple(each for each in unseen if each.subjects or not each.aspect)
    made = Comparison(identity, rows, notes_of(lines, matching), finding_rows(snapshots), told, "")
    return made._replace(verdict=_verdict(made, snapshots, fail_on))


def _identity(lines: list[Line], snapshots: tuple[Snapshot, ...]) -> str:
    """Fail closed: without cards or a name, NUMA nodes and a list of GPUs on every side nobody knows what was compared."""
    if _is_one(snapshots):
        return SAME
    machine = [line for line in lines if line.group == MACHINE]
    if any(line.differs(BASE, column) for line in machine for column in range(1, len(snapshots))):
        return DIFFERENT
    is_named = all(snapshot.cards is not None for snapshot in snapshots) or all(snapshot.hostname is not None for snapshot in snapshots)
    is_listed = all(snapshot.hardware.part(part) is not None for snapshot in snapshots for part in ("numa_nodes", "gpus"))
    return SAME if is_named and is_listed else UNKNOWN


# -- rows


def _rows(lines: list[Line]) -> Iterator[Row]:
    for line in lines:
        state = state_of(line)
        if state:
            yield Row(*line, state)


def state_of(line: Line) -> str | None:
    """What became of an aspect; None where nothing did, or nothing can be said."""
    if len(line.values) == 2:
        return CHANGED if line.differs(BASE, AFTER) else None
    if line.is_known(BASE) != line.is_known(ROLLBACK):
        return UNDECIDABLE if line.group == PLACEMENT else None
    if line.differs(BASE, ROLLBACK):
        return NOT_RESTORED
    return RESTORED if line.differs(BASE, AFTER) and line.is_known(ROLLBACK) else None


def _without_echoes(rows: list[Row]) -> Iterator[Row]:
    told = {(row.subject, row.aspect): row for row in rows}
    for row in rows:
        broader = told.get((row.subject, _BROADER.get(row.aspect, "")))
        if broader is None or (broader.values, broader.state) != (row.values, row.state):
            yield row


def _unseen(lines: list[Line]) -> Iterator[Unseen]:
    """By group and aspect; a group of which nothing could be compared is told as a whole."""
    for group in dict.fromkeys(line.group for line in lines):
        own = [line for line in lines if line.group == group]
        lacking = [line for line in own if None in line.values and any(value is not None for value in line.values)]
        if lacking and len(lacking) == len(own):
            yield Unseen(group, "", ())
            continue
        subjects: dict[str, list[str]] = {}
        for line in lacking:
            subjects.setdefault(line.aspect, []).append(line.subject)
        yield from (Unseen(group, aspect, tuple(found)) for aspect, found in subjects.items())


def _without_proof(lines: list[Line]) -> Iterator[str]:
    """Roles that are there first and last, and of which the one or the other time the mask or all pages are not known."""
    by_subject: dict[str, list[Line]] = {}
    for line in lines:
        if line.group == PLACEMENT:
            by_subject.setdefault(line.subject, []).append(line)
    for subject, own in by_subject.items():
        known = {line.aspect for line in own if line.is_known(BASE) and line.is_known(-1) and ABSENT not in line.values}
        if PRESENCE in known and ("allowed_cpus" not in known or known.isdisjoint(PAGES)):
            yield subject


# -- verdicts


def _verdict(made: Comparison, snapshots: tuple[Snapshot, ...], fail_on: Severity) -> str:
    if _is_one(snapshots):
        return "equal" if len(snapshots) == 2 else RESTORED
    return _of_two(made, snapshots, fail_on) if len(snapshots) == 2 else _of_rollback(made, snapshots, fail_on)


def _is_one(snapshots: tuple[Snapshot, ...]) -> bool:
    """Whether all are one and the same evidence, which is like itself however little it tells."""
    return all(snapshot == snapshots[0] for snapshot in snapshots)


def _of_two(made: Comparison, snapshots: tuple[Snapshot, ...], fail_on: Severity) -> str:
    states = {row.state for row in made.findings or () if counts(row.finding.severity, fail_on)}
    if NEW in states:
        return "mixed" if FIXED in states else "worse"
    differs = any(row.group != BOOT for row in made.rows)
    if made.identity == UNKNOWN or UNDECIDABLE in states or (made.findings is None and differs) or _lacks_roles(made, snapshots):
        return "undecidable"
    if FIXED in states:
        return "undecidable" if _is_gone(made) else "better"
    return "changed" if differs else "equal"


def _of_rollback(made: Comparison, snapshots: tuple[Snapshot, ...], fail_on: Severity) -> str:
    states = {row.state for row in made.rows if row.group != BOOT}
    if any(row.is_new(ROLLBACK) and counts(row.finding.severity, fail_on) for row in made.findings or ()):
        states.add(NOT_RESTORED)
    if NOT_RESTORED in states:
        return "partly-restored" if RESTORED in states else NOT_RESTORED
    if made.identity == UNKNOWN or UNDECIDABLE in states or _lacks_roles(made, snapshots) or _lacks(made, PROOF):
        return "undecidable"
    return RESTORED


def _lacks_roles(made: Comparison, snapshots: tuple[Snapshot, ...]) -> bool:
    """Whether ranks are missing as a whole on some side, or cannot be told apart."""
    return any(snapshot.roles is None for snapshot in snapshots) or _lacks(made, WHICH)


def _lacks(made: Comparison, aspect: str) -> bool:
    return any(each.aspect == aspect for each in made.unseen)


def _is_gone(made: Comparison) -> bool:
    """Whether a rank is on one side only: what does not run fails nothing."""
    return any(row.aspect == PRESENCE and row.group == PLACEMENT and ABSENT in row.values for row in made.rows)
