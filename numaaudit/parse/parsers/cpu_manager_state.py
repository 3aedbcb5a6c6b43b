"""``/var/lib/kubelet/cpu_manager_state`` (kubernetes ``pkg/kubelet/cm/cpumanager/state/checkpoint.go``).

What the kubelet assigned, not what a container got; entries of deleted pods stay until the next admission. The checksum is
over Go's memory layout and cannot be checked here.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.parse.json_text import optional, read_object, required, typed
from numaaudit.parse.parser import Parser


class CpuAssignment(NamedTuple):
    """Exclusive CPUs of one container."""

    pod_uid: str | None  # None in version 1 of the file, which knows container ids only
    container: str
    cpus: CpuSet


class CpuManagerState(NamedTuple):
    """``default_cpus`` are those of the shared pool; empty under the policy ``none``."""

    policy: str  # policyName: none, static
    default_cpus: CpuSet | None  # defaultCpuSet
    assignments: tuple[CpuAssignment, ...]  # entries


def parse(text: str) -> CpuManagerState:
    """Read either version; ParseError if it is neither."""
    state = read_object(text)
    default = optional(state, "defaultCpuSet", str)
    entries = optional(state, "entries", dict) or {}
    return CpuManagerState(
        required(state, "policyName", str), None if default is None else CpuSet.parse(default), tuple(_assignments(entries))
    )


def _assignments(entries: dict[str, Any]) -> Iterator[CpuAssignment]:
    for owner, value in entries.items():
        if isinstance(value, str):
            yield CpuAssignment(None, owner, CpuSet.parse(value))
            continue
        for container, cpus in typed(value, dict, "entries").items():
            yield CpuAssignment(owner, container, CpuSet.parse(typed(cpus, str, "entries")))


PARSER = Parser(
    parse,
    reads=("var/lib/kubelet/cpu_manager_state",),
    looks_like=r'^\{\s{0,20}"policyName"\s{0,20}:\s{0,20}"[^"]{0,40}"\s{0,20},\s{0,20}"defaultCpuSet"',
)
