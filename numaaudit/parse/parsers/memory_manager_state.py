"""``/var/lib/kubelet/memory_manager_state`` (kubernetes ``pkg/kubelet/cm/memorymanager/state/state.go``)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import optional, read_object, required, typed
from numaaudit.parse.parser import Parser


class ManagedMemory(NamedTuple):
    """One kind of memory on one NUMA node, as the kubelet counts it."""

    numa_node: int
    kind: str  # memory, hugepages-1Gi
    total_bytes: int | None
    allocatable_bytes: int | None
    reserved_bytes: int | None  # given to containers
    free_bytes: int | None
    grouped_with: NodeSet  # cells, in older documentation nodes: NUMA nodes that serve one container together


class MemoryAssignment(NamedTuple):
    """Memory of one container."""

    pod_uid: str
    container: str
    numa_nodes: NodeSet
    kind: str
    size_bytes: int


class MemoryManagerState(NamedTuple):
    """What the kubelet assigned; entries of deleted pods stay until the next admission."""

    policy: str  # policyName: None, Static
    memory: tuple[ManagedMemory, ...]  # machineState
    assignments: tuple[MemoryAssignment, ...]  # entries


def parse(text: str) -> MemoryManagerState:
    """Read the file; ParseError for a member of another type or an impossible NUMA node."""
    state = read_object(text)
    machine = optional(state, "machineState", dict) or {}
    entries = optional(state, "entries", dict) or {}
    return MemoryManagerState(required(state, "policyName", str), tuple(_memory(machine)), tuple(_assignments(entries)))


def _memory(machine: dict[str, Any]) -> Iterator[ManagedMemory]:
    for numa_node, value in machine.items():
        owner = typed(value, dict, "machineState")
        if not numa_node.isdecimal() or len(numa_node) > 4 or int(numa_node) > MAX_NUMA_NODE_ID:
            raise ParseError(f"no NUMA node: {numa_node:.40}")
        cells = optional(owner, "cells", list) or optional(owner, "nodes", list) or []
        for kind, sizes in (optional(owner, "memoryMap", dict) or {}).items():
            amounts = typed(sizes, dict, "memoryMap")
            total, allocatable, reserved, free = (optional(amounts, key, int) for key in ("total", "allocatable", "reserved", "free"))
            yield ManagedMemory(int(numa_node), kind, total, allocatable, reserved, free, _nodes(cells))


def _nodes(ids: list[Any]) -> NodeSet:
    return NodeSet(typed(numa_node, int, "a NUMA node") for numa_node in ids)


def _assignments(entries: dict[str, Any]) -> Iterator[MemoryAssignment]:
    for pod_uid, containers in entries.items():
        for container, blocks in typed(containers, dict, "entries").items():
            for block in typed(blocks, list, "entries"):
                owner = typed(block, dict, "entries")
                yield MemoryAssignment(
                    pod_uid,
                    container,
                    _nodes(required(owner, "numaAffinity", list)),
                    required(owner, "type", str),
                    required(owner, "size", int),
                )


PARSER = Parser(
    parse,
    reads=("var/lib/kubelet/memory_manager_state",),
    looks_like=r'^\{\s{0,20}"policyName"\s{0,20}:\s{0,20}"[^"]{0,40}"\s{0,20},\s{0,20}"machineState"',
)
