"""A hardware class: what hosts of one kind share, as traits that two hosts, or a host and a file, can be compared by.

Traits are facts about slots, never about cards or processes: no UUID, no ordinal, and no mask of a process is among them, so
that nothing of one class can be carried over to another.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from numaaudit.core.cpuset import CpuSet

Value: TypeAlias = "str | int | float | None"
Aspects: TypeAlias = Mapping[str, Value]
Part: TypeAlias = "Mapping[str, Aspects] | None"

# By what a difference means: another machine; the same one with something beside the GPUs changed; the same one set otherwise.
HARDWARE = ("cpus", "numa_nodes", "gpus")
DEVICES = ("gpu_links", "nics", "nvmes")
SETTINGS = ("settings",)
PARTS = (*HARDWARE, *DEVICES, *SETTINGS)

SUBJECTS = {"numa_nodes": "numa_node", "gpus": "gpu", "gpu_links": "gpu", "nics": "nic", "nvmes": "nvme"}
LINK_TO = "link_to_"  # begins an aspect of gpu_links that names another GPU
TOLERANCE = 0.03  # of quantities: MemTotal is what the firmware and the kernel left over, and differs a little between boots


class HardwareClass(NamedTuple):
    """Part to subject to aspect to value. A part is None where the evidence cannot list it; a value None where it is not known."""

    parts: Mapping[str, Part]

    def part(self, name: str) -> Part:
        return self.parts.get(name)


class Difference(NamedTuple):
    """``kind``: missing (expected only), extra (found only), differs, or unknown (a value or the whole part cannot be told)."""

    part: str
    subject: str
    aspect: str
    kind: str
    expected: Value
    found: Value

    @property
    def name(self) -> str:
        return subject_of(self.part, self.subject)


def subject_of(part: str, subject: str) -> str:
    """The subject with its kind: ``gpu:0000:1b:00.0``; ``host`` in parts that are about the host as a whole."""
    return f"{SUBJECTS[part]}:{subject}" if part in SUBJECTS else "host"


def differences(expected: HardwareClass, found: HardwareClass, parts: tuple[str, ...] = PARTS) -> Iterator[Difference]:
    """Every trait in which two classes differ, or one of which is not known; in order of part, subject and aspect."""
    expected, found = aligned((expected, found))
    told: set[tuple[str, str]] = set()
    for name in parts:
        for each in part_differences(name, expected.part(name), found.part(name)):
            if each.aspect or (each.name, each.kind) not in told:
                yield each
            if each.kind in ("missing", "extra"):
                told.add((each.name, each.kind))


def part_differences(name: str, expected: Part, found: Part) -> Iterator[Difference]:
    """Those of one part."""
    if expected is None and found is None:
        return
    if expected is None or found is None:
        for subject in sorted({**(expected or {}), **(found or {})}, key=natural):
            yield Difference(name, subject, "", "unknown", _word(expected, subject), _word(found, subject))
        return
    for subject in sorted({**expected, **found}, key=natural):
        if subject not in found:
            yield Difference(name, subject, "", "missing", described(expected[subject]), None)
        elif subject not in expected:
            yield Difference(name, subject, "", "extra", None, described(found[subject]))
        else:
            gone = {f"{LINK_TO}{other}" for other in expected.keys() ^ found.keys()}
            yield from _of_subject(name, subject, _without(expected[subject], gone), _without(found[subject], gone))


def _without(aspects: Aspects, names: set[str]) -> Aspects:
    """A link to what is not there is told by that."""
    return {name: value for name, value in aspects.items() if name not in names}


def _of_subject(name: str, subject: str, expected: Aspects, found: Aspects) -> Iterator[Difference]:
    for aspect in dict.fromkeys((*expected, *found)):
        a, b = expected.get(aspect), found.get(aspect)
        if a is None and b is None:
            continue
        if a is None or b is None:
            yield Difference(name, subject, aspect, "unknown", a, b)
        elif not same(a, b):
            yield Difference(name, subject, aspect, "differs", a, b)


def same(a: Value, b: Value) -> bool:
    """Whether two values mean the same: quantities (floats) within the tolerance, everything else exactly."""
    if isinstance(a, float | int) and isinstance(b, float | int) and float in (type(a), type(b)):
        return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
    return a == b


def described(aspects: Aspects) -> str:
    """A subject in one line: ``NVIDIA H100 80GB HBM3, numa_node 0``."""
    known = [(name, value) for name, value in aspects.items() if value is not None]
    return ", ".join(str(value) if name == "model" else in_words(name, value) for name, value in known) or "there"


def in_words(aspect: str, value: Value) -> str:
    """An aspect with its value: ``memory 510.5 GiB``, ``NUMA node 1``."""
    title, unit = titled(aspect), ""
    for each in ("GiB", "GT/s"):
        if title.endswith(f" {each}"):
            title, unit = title.removesuffix(f" {each}"), f" {each}"
    return f"{title} {spoken(value)}{unit}"


def titled(aspect: str) -> str:
    """An aspect in words: ``NUMA node``, ``PCIe GT/s``."""
    words = {"gib": "GiB", "gpu": "GPU", "nic": "NIC", "numa": "NUMA", "pcie": "PCIe"}
    return " ".join(words.get(word, word) for word in aspect.split("_")).replace("gt per s", "GT/s")


def spoken(value: Value) -> str:
    """A value in words: an empty list of CPUs is none."""
    return str(value) or "none"


def natural(key: str) -> tuple[int, str]:
    """Numbers by value, before everything else by its text."""
    return (int(key), "") if key.isascii() and key.isdigit() and len(key) < 10 else (1 << 31, key)


def _word(part: Part, subject: str) -> str | None:
    return described(part[subject]) if part and subject in part else None


def aligned(classes: Sequence[HardwareClass]) -> list[HardwareClass]:
    """With a NUMA node's CPUs as the first class lists them, wherever two lists differ only by CPUs that are offline in some class.

    A CPU taken offline leaves its NUMA node's list.
    """
    online = [cpus for each in classes if (cpus := _online_cpus(each)) is not None]
    if len(online) < len(classes):
        return list(classes)
    first: dict[tuple[str, CpuSet], str] = {}
    return [_aligned(each, reduce(CpuSet.__and__, online), first) for each in classes]


def _online_cpus(each: HardwareClass) -> CpuSet | None:
    listed = ((each.part("settings") or {}).get("host") or {}).get("online_cpus")
    return CpuSet.parse(listed) if isinstance(listed, str) else None


def _aligned(each: HardwareClass, online: CpuSet, first: dict[tuple[str, CpuSet], str]) -> HardwareClass:
    numa_nodes = dict(each.part("numa_nodes") or {})
    for number, aspects in numa_nodes.items():
        listed = aspects.get("cpus")
        if isinstance(listed, str):
            numa_nodes[number] = {**aspects, "cpus": first.setdefault((number, CpuSet.parse(listed) & online), listed)}
    return HardwareClass({**each.parts, "numa_nodes": numa_nodes}) if numa_nodes else each
