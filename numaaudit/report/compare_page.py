"""A comparison as data for the writers: verdict, tables of what differs, sentences."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from numaaudit.compare.diff import AFTER, ROLLBACK, Comparison, Row, Unseen
from numaaudit.compare.findings import FIXED, NEW, FindingRow, state_of
from numaaudit.compare.notes import LIVE_CHANGE, MOVED_PAGES, NOTHING_CHANGED, OLD_PAGES, Note
from numaaudit.compare.snapshot import Fact, Pages, Snapshot
from numaaudit.core.units import format_bytes
from numaaudit.model.hardware_class import titled
from numaaudit.report.blocks import fold_subjects
from numaaudit.report.view import Input

COLUMNS = ("base", "after", "rollback")
ARROW = " → "

VERDICTS = {
    "equal": "nothing differs that placement depends on",
    "changed": "something differs, and no finding is new or fixed",
    "better": "findings are fixed, and none is new",
    "worse": "findings are new, and none is fixed",
    "mixed": "findings are new, and others are fixed",
    "undecidable": "the evidence does not tell",
    "restored": "the rollback is as the base was",
    "partly-restored": "some of the rollback is as the base was, some is not",
    "not-restored": "the rollback is not as the base was",
    "refused": "these are different machines, and their placements mean different things",
}
_IDENTITY = {"same": "the same hardware on every side", "different": "different hardware", "unknown": "not known to be the same hardware"}
_GROUPS = {
    "machine": "Hardware",
    "identity": "Drivers, ordinals and devices",
    "boot": "Restarts of the host",
    "setting": "Settings",
    "placement": "Placement",
}
_NOTES = {
    (OLD_PAGES, False): "{who}: not restarted: old pages. Masks and policies are the same in {a} and {b}, but pages lie elsewhere: "
    "they stay where they were allocated while the process lives.",
    (OLD_PAGES, None): "{who}: old pages. Masks and policies are the same in {a} and {b}, but pages lie elsewhere: one side was given "
    "its masks after its memory was allocated; whether it was restarted since is not known.",
    (OLD_PAGES, True): "{who}: old pages. Masks and policies are the same in {a} and {b}, but pages lie elsewhere, although these are "
    "different processes: one side was given its masks after its memory was allocated.",
    (MOVED_PAGES, False): "{who}: one process in {a} and {b} with the same masks, whose pages moved while it ran.",
    (LIVE_CHANGE, False): "{who}: two states of memory. {a} and {b} are one process whose masks were changed while it ran: its pages "
    "were placed under the old ones. Restart it before {b} is compared with a fresh start.",
    (NOTHING_CHANGED, None): "{a} and {b} are the same placement: nothing was tested.",
}


class RowShown(NamedTuple):
    """One aspect that differs in the same way for these subjects. ``cells``: one a column."""

    subjects: str
    aspect: str
    cells: tuple[str, ...]
    state: str


class Table(NamedTuple):
    title: str
    rows: tuple[RowShown, ...]


class ComparePage(NamedTuple):
    """Everything a comparison says. ``about``: (column, its input); ``columns`` as many names as there are inputs."""

    verdict: str
    sentence: str
    about: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    findings: tuple[str, ...]
    unseen: tuple[str, ...]


def make_compare_page(made: Comparison, snapshots: tuple[Snapshot, ...], sources: tuple[Input, ...]) -> ComparePage:
    """The page of a comparison."""
    columns = COLUMNS[: len(snapshots)]
    about = [(name, _input(snapshot, source)) for name, snapshot, source in zip(columns, snapshots, sources, strict=True)]
    tables = (Table(title, tuple(_folded(row for row in made.rows if row.group == group))) for group, title in _GROUPS.items())
    return ComparePage(
        made.verdict,
        VERDICTS[made.verdict],
        (*about, ("identity", _IDENTITY[made.identity])),
        columns,
        tuple(table for table in tables if table.rows),
        tuple(_notes(made.notes)),
        tuple(_findings(made, snapshots)),
        tuple(map(_unseen, made.unseen)),
    )


def _input(snapshot: Snapshot, source: Input) -> str:
    more = [
        f"marked {snapshot.mark}" if snapshot.mark else "",
        snapshot.collected_at or "",
        f"rule set {snapshot.rule_set}" if snapshot.rule_set else "",
    ]
    return f"{source.path or 'this host'} ({', '.join([snapshot.kind, *filter(None, more)])})"


def _folded(rows: Iterable[Row]) -> Iterator[RowShown]:
    """Subjects that differ alike, together, where the first of them stands."""
    groups: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for row in rows:
        groups.setdefault((row.aspect, tuple(map(cell, row.values)), row.state), []).append(row.subject)
    for (aspect, cells, state), subjects in groups.items():
        yield RowShown(fold_subjects(subjects), titled(aspect), cells, state.replace("-", " "))


def cell(value: Fact) -> str:
    """A fact as people read it: ``2.6 GiB on 0, 300 MiB on 1``."""
    if isinstance(value, Pages):
        sizes = ", ".join(f"{format_bytes(size)} on {number}" for number, size in sorted(value.bytes_by_node.items()) if size) or "none"
        return sizes if value.ranges is None else f"about {sizes}"
    return "not known" if value is None else "none" if value == "" else str(value)


def _notes(notes: tuple[Note, ...]) -> Iterator[str]:
    groups: dict[tuple[str, tuple[int, int], bool | None], list[str]] = {}
    for note in notes:
        groups.setdefault((note.kind, note.columns, note.restarted), []).append(note.subject)
    for (kind, columns, restarted), subjects in groups.items():
        yield _NOTES[kind, restarted].format(who=fold_subjects(subjects), a=COLUMNS[columns[0]], b=COLUMNS[columns[1]])


def _findings(made: Comparison, snapshots: tuple[Snapshot, ...]) -> Iterator[str]:
    rule_sets = list(dict.fromkeys(snapshot.rule_set for snapshot in snapshots if snapshot.rule_set))
    if made.findings and len(rule_sets) > 1:
        yield f"judged by different rule sets ({', '.join(rule_sets)}): what is new or fixed may be the rules"
    groups: dict[tuple[str, tuple[str | None, ...], str], list[FindingRow]] = {}
    for row in made.findings or ():
        groups.setdefault((_became(row), row.outcomes, row.finding.rule), []).append(row)
    for (state, outcomes, code), rows in groups.items():
        shown = rows[0].finding
        subjects = fold_subjects(row.finding.subject for row in rows)
        told = ARROW.join(outcome or "not listed" for outcome in outcomes)
        yield f"{state}: {shown.severity} {shown.name} ({code}) {subjects}: {told}"


def _became(row: FindingRow) -> str:
    """``state`` is that of after; what the rollback made of it is said beside it."""
    later = state_of(*row.outcomes[AFTER:]) if len(row.outcomes) > ROLLBACK else None
    return {(FIXED, NEW): "fixed, then back", (NEW, FIXED): "new, then gone"}.get((row.state, later or ""), row.state)


def _unseen(unseen: Unseen) -> str:
    if not unseen.aspect:
        return f"{_GROUPS[unseen.group]}: not known on every side"
    return f"{titled(unseen.aspect)} of {fold_subjects(unseen.subjects)}"
