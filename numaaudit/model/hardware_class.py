"""A hardware class: what hosts of one kind share, as traits that two hosts, or a host and a file, can be compared by.

Traits are facts about slots, never about cards or processes: no UUID, no ordinal, and no mask of a process is among them, so
that nothing of one class can be carried over to another.
"""

from collections.abc import Iterator, Mapping
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
    expected, found = _within_common_cpus(expected, found)
    for name in parts:
        yield from part_differences(name, expected.part(name), found.part(name))


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
    return ", ".join(str(value) if name == "model" else f"{name.replace('_', ' ')} {value}" for name, value in known) or "there"


def natural(key: str) -> tuple[int, str]:
    """Numbers by value, before everything else by its text."""
    return (int(key), "") if key.isascii() and key.isdigit() and len(key) < 10 else (1 << 31, key)


def _word(part: Part, subject: str) -> str | None:
    return described(part[subject]) if part and subject in part else None


def _within_common_cpus(a: HardwareClass, b: HardwareClass) -> tuple[HardwareClass, HardwareClass]:
    """Both with their NUMA nodes cut to the CPUs that are online in both: a CPU taken offline leaves its NUMA node's list."""
    online = [online_cpus(each) for each in (a, b)]
    if online[0] is None or online[1] is None:
        return a, b
    return within(a, online[0] & online[1]), within(b, online[0] & online[1])


def online_cpus(each: HardwareClass) -> CpuSet | None:
    """The CPUs that were online; None where that is not known."""
    listed = ((each.part("settings") or {}).get("host") or {}).get("online_cpus")
    return CpuSet.parse(listed) if isinstance(listed, str) else None


def within(each: HardwareClass, cpus: CpuSet) -> HardwareClass:
    """The class with its NUMA nodes cut to these CPUs."""
    numa_nodes = each.part("numa_nodes")
    if numa_nodes is None:
        return each
    cut = {number: {**aspects, "cpus": _cut(aspects.get("cpus"), cpus)} for number, aspects in numa_nodes.items()}
    return HardwareClass({**each.parts, "numa_nodes": cut})


def _cut(listed: Value, cpus: CpuSet) -> Value:
    return str(CpuSet.parse(listed) & cpus) if isinstance(listed, str) else listed
