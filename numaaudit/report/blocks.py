"""Failures as blocks: one a rule, with what follows from them folded below, so that a reader meets causes and not symptoms."""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import groupby
from operator import or_
from typing import Any, NamedTuple

from numaaudit.core.cpuset import IdSet, NodeSet
from numaaudit.model.evidence import Evidence
from numaaudit.report.view import Shown, spoken
from numaaudit.rules.causes import root_of
from numaaudit.rules.finding import Confidence

MOST_SENTENCES = 12  # of one rule; further subjects are named in the heading only


class Block(NamedTuple):
    """All failures of one rule that nothing else explains. ``evidence`` is that of the first subject.

    ``severity`` is the worst of theirs and of what follows from them, ``consequences`` name that in one line each.
    """

    severity: str
    code: str
    name: str
    category: str
    subjects: str
    sentences: tuple[str, ...]
    num_more: int
    confidence: str
    evidence: tuple[Evidence, ...]
    evidence_of: str
    fixes: tuple[str, ...]
    commands: tuple[str, ...]
    thresholds: str
    consequences: tuple[str, ...]


def make_blocks(failing: list[Shown]) -> list[Block]:
    """A block for the causes of each rule and severity, the one with the worst in it first."""
    by_id = {item.finding.id: item.finding for item in failing}
    of_root: dict[str, list[Shown]] = {}
    for item in failing:
        of_root.setdefault(root_of(item.finding, by_id).id, []).append(item)
    causes = sorted((item for item in failing if item.finding.id in of_root), key=_severity_and_code)
    made = []
    for _, group in groupby(causes, key=_severity_and_code):
        items = list(group)
        explained = list(_explained(items, of_root))
        made.append((min(item.severity.rank for item in (*items, *explained)), _block(items, explained)))
    return [block for _, block in sorted(made, key=lambda pair: pair[0])]


def _explained(causes: list[Shown], of_root: dict[str, list[Shown]]) -> Iterator[Shown]:
    """What follows from these; several may be of one id, where two files say the same of one subject."""
    own = set(map(id, causes))
    for root in dict.fromkeys(cause.finding.id for cause in causes):
        yield from (item for item in of_root[root] if id(item) not in own)


def _consequences(explained: list[Shown]) -> Iterator[str]:
    """One line for each rule: the sentence where it is one, else the subjects."""
    for _, group in groupby(sorted(explained, key=_severity_and_code), key=_severity_and_code):
        items = list(group)
        first = items[0]
        about = first.message if len(items) == 1 else fold_subjects(item.subject for item in items)
        yield f"{first.severity.value.upper()}  {first.finding.name} ({first.finding.rule.code}): {about}"


def _severity_and_code(item: Shown) -> tuple[int, str]:
    return item.severity.rank, item.finding.rule.code


def _block(items: list[Shown], explained: list[Shown]) -> Block:
    first, rule = items[0], items[0].finding.rule
    confidences = {item.finding.judgement.confidence for item in items}
    weakest = max(confidences, key=list(Confidence).index)
    return Block(
        min((item.severity for item in (*items, *explained)), key=lambda severity: severity.rank).value,
        rule.code,
        first.finding.name,
        rule.category,
        fold_subjects(item.subject for item in items),
        tuple(item.message for item in items[:MOST_SENTENCES]),
        max(0, len(items) - MOST_SENTENCES),
        weakest.value,
        first.evidence,
        first.subject,
        tuple(_fixes(items)),
        tuple(dict.fromkeys(command for item in items[:MOST_SENTENCES] for command in item.commands)),
        ", ".join(f"{name} {value}" for name, value in first.finding.judgement.thresholds.items()),
        tuple(_consequences(explained)),
    )


def _fixes(items: list[Shown]) -> Iterator[str]:
    """One sentence for all subjects whose fix is the same but for their own name, or for the CPUs that they lack."""
    groups: dict[str, list[Any]] = {}
    for item in items:
        own = _own(item)
        groups.setdefault(item.fix.replace(str(spoken(own)), "\0") if own else item.fix, []).append(own)
    for text, each in groups.items():
        yield text.replace("\0", _together(each))


def _own(item: Shown) -> Any:
    """The fact that only this subject's fix has; None where no such fact is in it, or a list of CPUs could be a part of a name."""
    facts = item.finding.judgement.facts
    for key in ("who_inside", "gpu", "nic", "wanted"):
        fact = facts.get(key)
        if fact and str(spoken(fact)) in item.fix:
            return fact if not isinstance(fact, IdSet) or item.fix.count(str(spoken(fact))) == 1 else None
    return None


def _together(own: list[Any]) -> str:
    """``rank 4``; ``ranks 4-7``; ``0000:1b:00.0, 0000:2c:00.0``; ``24-31,56-63``."""
    if all(isinstance(each, IdSet) for each in own):
        return str(spoken(reduce(or_, own)))
    names = list(map(str, own))
    numbers = [int(name[5:]) for name in names if name.startswith("rank ") and name[5:].isdigit()]
    if len(numbers) == len(names) > 1 and max(numbers) <= NodeSet.limit:
        return f"ranks {NodeSet(numbers)}"
    return ", ".join(dict.fromkeys(names))


def fold_subjects(subjects: Iterable[str]) -> str:
    """``rank:2-3,5 gpu:0000:5e:00.0``: ranks as one list, others as they are."""
    ranks: list[int] = []
    others: dict[str, None] = {}
    for subject in subjects:
        kind, _, value = subject.partition(":")
        if kind == "rank" and value.isdigit() and int(value) <= NodeSet.limit:
            ranks.append(int(value))
        else:
            others[subject] = None
    return " ".join([*([f"rank:{NodeSet(ranks)}"] if ranks else []), *others])
