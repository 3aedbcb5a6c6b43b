"""What two pieces of evidence are compared by: hardware, environment, roles and findings, without PIDs, counters and times."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from numaaudit.model.hardware_class import HardwareClass, Part, Value, same

SHARE = 0.05  # of a kind of memory on a NUMA node: what moves less is noise
FLOOR_BYTES = 64 << 20  # of a kind of memory: what is less tells nothing about placement


class Pages(NamedTuple):
    """Bytes of one kind of memory by NUMA node; ``ranges``, if they come from a sample: the ends of each share's 95 % interval."""

    bytes_by_node: Mapping[int, int]
    ranges: Mapping[int, tuple[float, float]] | None = None

    def share(self, numa_node: int) -> float:
        """Of all bytes of the kind; 0 where there are none."""
        total = sum(self.bytes_by_node.values())
        return self.bytes_by_node.get(numa_node, 0) / total if total else 0.0

    def range(self, numa_node: int) -> tuple[float, float]:
        """Within which the share lies: a point where it was counted, anything where a sample says nothing of the NUMA node."""
        return (self.share(numa_node),) * 2 if self.ranges is None else self.ranges.get(numa_node, (0.0, 1.0))


Fact: TypeAlias = "Value | Pages"


class Role(NamedTuple):
    """A rank, or a process that is none, by what it is over restarts. ``facts``: aspect to fact, None where it is not known.

    ``gpus``: UUIDs, or slots. ``start``: boot id and start time in clock ticks, which no two processes of one PID share.
    """

    number: int | None
    gpus: tuple[str, ...]
    comm: str | None
    command: str | None
    start: tuple[str, int, int] | None  # boot id, PID, ticks
    facts: Mapping[str, Fact]


class Recorded(NamedTuple):
    """A finding: ``key`` is its fingerprint; ``outcome`` and ``severity`` as in the report."""

    key: str
    rule: str
    name: str
    subject: str
    outcome: str
    severity: str


class Snapshot(NamedTuple):
    """One side of a comparison.

    ``cards``: GPU UUID to its slot and numbers, None where no UUID is known; ``environment``: drivers, kernel and boot of the host;
    ``roles`` and ``findings`` None where the evidence cannot have any (a report has no model, a model no findings).
    """

    kind: str
    hostname: str | None
    hardware: HardwareClass
    cards: Part
    environment: Mapping[str, Value]
    roles: tuple[Role, ...] | None
    findings: tuple[Recorded, ...] | None
    rule_set: str | None
    collected_at: str | None
    mark: str | None = None  # the side that the collection was marked as


def alike(a: Fact, b: Fact) -> bool:
    """Whether two facts mean the same placement; None is like nothing, itself included, and has to be looked for before."""
    if isinstance(a, Pages) and isinstance(b, Pages):
        return _same_pages(a, b)
    if isinstance(a, Pages) or isinstance(b, Pages) or a is None or b is None:
        return False
    return same(a, b)


def _same_pages(a: Pages, b: Pages) -> bool:
    """Amounts follow the load; where they lie is placement."""
    if _are_small(a, b):
        return True
    return all(max(low_a - high_b, low_b - high_a) <= SHARE for (low_a, high_a), (low_b, high_b) in _ranges(a, b))


def is_decided(a: Pages, b: Pages) -> bool:
    """Whether samples leave no doubt about what ``alike`` says of them; nothing is as like as the same sample."""
    if a == b or _are_small(a, b) or not _same_pages(a, b):
        return True
    return all(max(high_a - low_b, high_b - low_a) <= SHARE for (low_a, high_a), (low_b, high_b) in _ranges(a, b))


def decided(values: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts without the samples that leave it open whether they are like another, of two the later: those are not known."""
    kept: list[Fact] = []
    for value in values:
        if isinstance(value, Pages):
            doubts = [at for at, other in enumerate(kept) if isinstance(other, Pages) and not is_decided(value, other)]
            if doubts and value.ranges is not None:
                kept.append(None)
                continue
            for at in doubts:
                kept[at] = None
        kept.append(value)
    return tuple(kept)


def _are_small(a: Pages, b: Pages) -> bool:
    return max(sum(a.bytes_by_node.values()), sum(b.bytes_by_node.values())) < FLOOR_BYTES


def _ranges(a: Pages, b: Pages) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    numbers = {*a.bytes_by_node, *b.bytes_by_node, *(a.ranges or ()), *(b.ranges or ())}
    return [(a.range(number), b.range(number)) for number in sorted(numbers)]


def of_any_host(snapshot: Snapshot) -> Snapshot:
    """The snapshot without what belongs to one machine: cards become slots, findings are told by their subject, boots go."""
    findings = tuple(each._replace(key=f"{each.rule}@{each.subject}") for each in snapshot.findings or ())
    told = by_slot(snapshot)
    return told._replace(
        roles=None if told.roles is None else tuple(role._replace(start=None) for role in told.roles),
        hostname="",
        cards=None,
        environment={name: value for name, value in snapshot.environment.items() if name != "boot_id"},
        findings=None if snapshot.findings is None else findings,
    )


def by_slot(snapshot: Snapshot) -> Snapshot:
    """The snapshot with its ranks' GPUs told by their slots."""
    slots = {uuid: str(aspects["slot"]) for uuid, aspects in (snapshot.cards or {}).items()}
    roles = tuple(
        role._replace(gpus=tuple(slots.get(gpu, gpu) for gpu in role.gpus), facts=_by_slot(role.facts, slots))
        for role in snapshot.roles or ()
    )
    return snapshot._replace(roles=None if snapshot.roles is None else roles)


def _by_slot(facts: Mapping[str, Fact], slots: Mapping[str, str]) -> Mapping[str, Fact]:
    gpus = facts.get("gpus")
    if not isinstance(gpus, str):
        return facts
    return {**facts, "gpus": " ".join(slots.get(gpu, gpu) for gpu in gpus.split(" "))}
