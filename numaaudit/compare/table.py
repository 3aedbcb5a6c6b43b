"""Everything comparable as one table: a line is one aspect of one subject, a column one piece of evidence."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from numaaudit.compare.roles import Matching
from numaaudit.compare.snapshot import Fact, Snapshot, alike, decided
from numaaudit.model.hardware_class import (
    DEVICES,
    HARDWARE,
    SETTINGS,
    Part,
    aligned,
    described,
    natural,
    subject_of,
)

# What a difference means: another machine; the same one with other drivers or ordinals; a restart; a setting; a rank.
MACHINE, IDENTITY, BOOT, SETTING, PLACEMENT = "machine", "identity", "boot", "setting", "placement"
THERE, ABSENT = "there", "not there"
PRESENCE = "presence"


class Line(NamedTuple):
    """``values``: one for each column, None where it is not known."""

    group: str
    subject: str
    aspect: str
    values: tuple[Fact, ...]

    def differs(self, a: int, b: int) -> bool:
        """Whether two columns are known to differ."""
        return self.is_known(a) and self.is_known(b) and not alike(self.values[a], self.values[b])

    def is_known(self, column: int) -> bool:
        return self.values[column] is not None


def lines_of(snapshots: tuple[Snapshot, ...], matching: Matching) -> Iterator[Line]:
    """The whole table, the machine first."""
    hardware = aligned([snapshot.hardware for snapshot in snapshots])
    yield from _cards(snapshots)
    for group, parts in ((MACHINE, HARDWARE), (IDENTITY, DEVICES), (SETTING, SETTINGS)):
        for name in parts:
            yield from _part(group, name, [each.part(name) for each in hardware])
    yield from _environment(snapshots)
    yield from _roles(snapshots, matching)


def _cards(snapshots: tuple[Snapshot, ...]) -> Iterator[Line]:
    """By UUID; where one column knows no UUID the name of the host has to do."""
    cards = [snapshot.cards for snapshot in snapshots]
    if None in cards:
        yield Line(MACHINE, "host", "hostname", tuple(snapshot.hostname for snapshot in snapshots))
        return
    for line in _part(MACHINE, "gpus", cards):
        yield line if line.aspect in ("slot", PRESENCE) else line._replace(group=IDENTITY)


def _part(group: str, name: str, columns: list[Part]) -> Iterator[Line]:
    """A subject that a column lists not is known to be absent there; its aspects are compared only where it is everywhere."""
    for subject in sorted({subject for part in columns for subject in part or ()}, key=natural):
        title = subject_of(name, subject)
        presence = tuple(None if part is None else described(part[subject]) if subject in part else ABSENT for part in columns)
        if ABSENT in presence:
            yield Line(group, title, PRESENCE, presence)
            continue
        aspects = [(part or {}).get(subject, {}) for part in columns]
        for aspect in dict.fromkeys(aspect for each in aspects for aspect in each):
            yield Line(group, title, aspect, tuple(each.get(aspect) for each in aspects))


def _environment(snapshots: tuple[Snapshot, ...]) -> Iterator[Line]:
    for name in dict.fromkeys(name for snapshot in snapshots for name in snapshot.environment):
        group = BOOT if name == "boot_id" else SETTING if name.startswith("interrupts") else IDENTITY
        yield Line(group, "host", name, tuple(snapshot.environment.get(name) for snapshot in snapshots))


def _roles(snapshots: tuple[Snapshot, ...], matching: Matching) -> Iterator[Line]:
    has_roles = [snapshot.roles is not None for snapshot in snapshots]
    for matched in matching.matched:
        presence = tuple(THERE if role else ABSENT if has else None for role, has in zip(matched.roles, has_roles, strict=True))
        yield Line(PLACEMENT, matched.subject, PRESENCE, presence)
        facts: list[Mapping[str, Fact]] = [role.facts if role else {} for role in matched.roles]
        if ABSENT not in presence:
            for aspect in dict.fromkeys(aspect for each in facts for aspect in each):
                yield Line(PLACEMENT, matched.subject, aspect, decided(tuple(each.get(aspect) for each in facts)))
