"""What two pieces of evidence are compared by: hardware, environment, roles and findings, without PIDs, counters and times."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from numaaudit.model.hardware_class import HardwareClass, Part, Value, same

SHARE = 0.05  # of a kind of memory on a NUMA node: what moves less is noise
FLOOR_BYTES = 64 << 20  # of a kind of memory: what is less tells nothing about placement


class Pages(NamedTuple):
    """Bytes of one kind of memory by NUMA node."""

    bytes_by_node: Mapping[int, int]

    def share(self, numa_node: int) -> float:
        """Of all bytes of the kind; 0 where there are none."""
        total = sum(self.bytes_by_node.values())
        return self.bytes_by_node.get(numa_node, 0) / total if total else 0.0


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
    if max(sum(a.bytes_by_node.values()), sum(b.bytes_by_node.values())) < FLOOR_BYTES:
        return True
    return all(abs(a.share(number) - b.share(number)) <= SHARE for number in {*a.bytes_by_node, *b.bytes_by_node})


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
