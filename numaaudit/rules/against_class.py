"""A host judged against a hardware class: what is missing, what is too much, what differs, and what cannot be told."""

from collections.abc import Iterator
from itertools import groupby

from numaaudit.bundle.tree import Gap
from numaaudit.model.evidence import Evidence
from numaaudit.model.hardware_class import Difference, HardwareClass, differences, in_words, subject_of, titled
from numaaudit.model.hardware_evidence import evidence_of
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules.finding import Judgement, fail, not_applicable, ok, unknown

MESSAGE = "{what} is not what the class has: {found} here, {expected} there."
MESSAGES = {
    "missing": "{what} is missing: the class has {expected} there.",
    "extra": "{what} is not in the class: {found} here.",
}
FIX = "Take no mask, plan or baseline of the class over to this host before it is as the class has it, or the class has been created anew."


def judge(expected: HardwareClass | None, hardware: Hardware, parts: tuple[str, ...]) -> Iterator[Judgement]:
    """One judgement for each subject of the class in these parts, and for each that the class does not have."""
    if expected is None:
        yield not_applicable("host")
        return
    found = (each for each in differences(expected, hardware.found, parts) if each.kind != "unknown" or each.expected is not None)
    differing = {name: list(group) for name, group in groupby(found, key=lambda each: each.name)}
    names = [name for part in parts for name in _names(part, expected)]
    for name in dict.fromkeys((*names, *differing)):
        yield _judge(name, differing.get(name, []), hardware)


def _names(part: str, expected: HardwareClass) -> list[str]:
    subjects = expected.part(part) or {}
    return [subject_of(part, subject) for subject in subjects]


def _judge(name: str, found: list[Difference], hardware: Hardware) -> Judgement:
    wrong = [each for each in found if each.kind != "unknown"]
    if wrong:
        message = wrong[0].kind if wrong[0].kind in MESSAGES else None
        texts = {side: "; ".join(_told(each, side) for each in wrong) for side in ("expected", "found")}
        return fail(name, what=_what(name), message=message, evidence=tuple(_evidence(wrong, hardware)), **texts)
    if found:
        aspects = " and ".join(titled(each.aspect) if each.aspect else "whether it is there" for each in found)
        return unknown(name, Gap("absent", "", f"{aspects} of {_what(name)} is not in the evidence"))
    return ok(name)


def _evidence(wrong: list[Difference], hardware: Hardware) -> Iterator[Evidence]:
    """What this host has: of a thing that is missing there is no line."""
    for each in wrong:
        if each.kind != "missing":
            yield from evidence_of(hardware.tree, hardware.found, each.part, each.subject, each.aspect)


def _told(difference: Difference, side: str) -> str:
    value = difference.expected if side == "expected" else difference.found
    return in_words(difference.aspect, value) if difference.aspect else str(value)


_TITLES = {"gpu": "GPU", "numa_node": "NUMA node", "nic": "NIC", "nvme": "NVMe controller"}


def _what(name: str) -> str:
    """``GPU 0000:1b:00.0``, ``NUMA node 1``, ``The host``."""
    kind, _, subject = name.partition(":")
    return f"{_TITLES[kind]} {subject}" if kind in _TITLES else "The host"
