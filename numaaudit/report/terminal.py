"""The audit for a terminal: gates, one block a cause, what is not known folded by reason, coverage, one last line."""

import os
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.host import Host
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.report.view import Input, Shown, shown
from numaaudit.report.visible import one_line
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Outcome

MOST_SENTENCES = 12  # of one rule; more subjects than that are named in the heading only

_COLOURS = {
    "critical": "1;31",
    "high": "1;31",
    "medium": "1;33",
    "low": "36",
    "info": "2",
    "fail": "1;31",
    "unknown": "1;33",
    "pass": "32",
    "dim": "2",
}


class Style(NamedTuple):
    """How wide and whether in colour."""

    width: int
    colour: bool

    @classmethod
    def plain(cls) -> "Style":
        """For pipes and files: no colour, long lines whole."""
        return cls(100, False)

    @classmethod
    def of_terminal(cls) -> "Style":
        """For the terminal at hand; NO_COLOR (no-color.org) is honoured."""
        return cls(max(40, min(shutil.get_terminal_size().columns, 140)), not os.environ.get("NO_COLOR"))

    def paint(self, text: str, name: str) -> str:
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour and name in _COLOURS else text

    def wrap(self, text: str, indent: str) -> list[str]:
        return textwrap.wrap(
            one_line(text), self.width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )


def report_lines(audit: Audit, host: Host, source: Input, outcomes: frozenset[Outcome], style: Style) -> list[str]:
    """The lines of the report, without newlines."""
    items = shown(audit, outcomes)
    lines = list(_head(audit, host, source, style))
    for _, group in groupby(
        (item for item in items if item.outcome is Outcome.FAIL), key=lambda item: (item.finding.rule.code, item.severity)
    ):
        lines += ["", *_block(list(group), style)]
    lines += _unknowns([item for item in items if item.outcome is Outcome.UNKNOWN], style)
    lines += [f"error: {item.message}" for item in items if item.outcome is Outcome.ERROR]
    for outcome in (Outcome.PASS, Outcome.NOT_APPLICABLE):
        lines += [f"{outcome.value.replace('_', ' ')}: {item.finding.name} {item.subject}" for item in items if item.outcome is outcome]
    return [*lines, "", *_coverage(audit, host, style), _last_line(audit)]


def _head(audit: Audit, host: Host, source: Input, style: Style) -> Iterator[str]:
    system = host.section(System)
    about = [
        source.kind,
        f"host {system.hostname}" if system.hostname else "",
        f"collected {system.collected_at}" if system.collected_at else "",
    ]
    yield f"input    {one_line(source.path or 'this host')} ({one_line(', '.join(part for part in about if part))})"
    states = [f"{gate.value} {style.paint(state.replace('_', ' '), state)}" for gate, state in audit.gates.items()]
    yield f"gates    {' · '.join(states)}"
    yield f"verdict  {style.paint(audit.verdict.upper(), audit.verdict)}"


def _block(items: list[Shown], style: Style) -> Iterator[str]:
    """One rule at one severity: heading with all its subjects, a sentence for each, the evidence of the first, the fix."""
    first = items[0]
    subjects = fold_subjects(item.subject for item in items)
    yield f"{style.paint(first.severity.value.upper(), first.severity.value)}  {first.finding.name} ({first.finding.rule.code})  {one_line(subjects)}"
    for item in items[:MOST_SENTENCES]:
        yield from style.wrap(item.message, "  ")
    if len(items) > MOST_SENTENCES:
        yield f"  … and {len(items) - MOST_SENTENCES} more, all named above"
    for evidence in first.evidence:
        where = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
        yield style.paint(_cut(f"    {one_line(where)}: {one_line(evidence.text)}", style), "dim")
    if len(items) > 1:
        yield style.paint(
            f"    (evidence for {one_line(first.subject)}; of the others: numaaudit explain {first.finding.rule.code} INPUT)", "dim"
        )
    fixes = list(dict.fromkeys(item.fix for item in items))
    for fix in fixes[:MOST_SENTENCES]:
        yield from style.wrap(f"fix: {fix}", "  ")
    for command in dict.fromkeys(command for item in items[:1] for command in item.commands):
        yield f"    $ {one_line(command)}"


def _cut(line: str, style: Style) -> str:
    return line if len(line) <= style.width or not style.colour else line[: style.width - 1] + "…"


def fold_subjects(subjects: Iterable[str]) -> str:
    """``rank:2-3,5 gpu:0000:5e:00.0``: numbers of one kind as a list."""
    numbers: dict[str, list[int]] = {}
    others = []
    for subject in subjects:
        kind, _, value = subject.partition(":")
        if kind == "rank" and value.isdigit() and int(value) <= NodeSet.limit:
            numbers.setdefault(kind, []).append(int(value))
        else:
            others.append(subject)
    return " ".join([*(f"{kind}:{NodeSet(values)}" for kind, values in numbers.items()), *others])


REMEDIES = {
    "refused": "run as the same user, as root, or with CAP_SYS_PTRACE",
    "timed-out": "collect again with a longer --deadline, or look for a hung device",
    "gone": "the process ended meanwhile; collect again",
    "cut": "collect with --pages full",
    "ambiguous": "run `nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv` on the host",
    "not-run": "collect again and let it finish",
}


class _Reason(NamedTuple):
    """Gaps that are one to a reader: the same file name, missing in the same way."""

    what: str
    kind: str
    reason: str


def _unknowns(items: list[Shown], style: Style) -> list[str]:
    by_reason: dict[_Reason, list[Shown]] = {}
    for item in items:
        for gap in item.finding.judgement.gaps or (Gap("absent", "", "evidence is missing"),):
            by_reason.setdefault(reason_of(gap), []).append(item)
    lines = ["", style.paint("UNKNOWN", "unknown")] if by_reason else []
    for reason, group in by_reason.items():
        subjects = fold_subjects(dict.fromkeys(item.subject for item in group))
        rules = sorted({item.finding.rule.code for item in group})
        remedy = REMEDIES.get(reason.kind)
        text = f"{reason.what} {reason.kind} ({reason.reason}): {', '.join(rules)} cannot judge {subjects}"
        lines += style.wrap(text + (f"; {remedy}" if remedy else ""), "  ")
    return lines


def reason_of(gap: Gap) -> _Reason:
    """``root/proc/7/numa_maps`` is ``numa_maps`` to a reader who is told of eight processes."""
    what = re.sub(r"^root/proc/\d+/(?:task/\d+/)?", "", gap.path)
    return _Reason(what or "evidence", gap.kind, gap.reason)


def _coverage(audit: Audit, host: Host, style: Style) -> Iterator[str]:
    topology, devices, ranks = host.section(Topology), host.section(Devices), host.section(Ranks)
    judged = sorted({finding.rule.code for finding in audit.findings if finding.judgement.outcome in (Outcome.PASS, Outcome.FAIL)})
    yield from style.wrap(
        f"looked at {len(ranks.all)} ranks, {len(devices.gpus)} GPUs, {len(topology.numa_nodes)} NUMA nodes;"
        f" {len(judged)} of {len(audit.rules)} rules could judge something{': ' + ' '.join(judged) if judged else ''}", ""
    )  # fmt: skip


def _last_line(audit: Audit) -> str:
    errors = audit.count(Outcome.ERROR)
    return f"{audit.count(Outcome.FAIL)} fail, {audit.count(Outcome.UNKNOWN)} unknown, {audit.count(Outcome.PASS)} pass" + (
        f", {errors} error" if errors else ""
    )
