"""# zone-reclaim-on (NA650)

The kernel gives up page cache of a full NUMA node, and waits for it, before it takes memory from the next one.

## What it checks

`vm.zone_reclaim_mode` with bit 1 set on a host where several NUMA nodes have memory. It fails `medium` where one of them has
less than `free_share` (0.1) of its memory free and at least `cache_share` (0.2) in page cache: there allocations reclaim now.
`info` where none is so full. Zero is the kernel's default, and passes.

## Why it matters

Every allocation under the default policy that finds its NUMA node full then reclaims in the allocating thread, with stalls of
milliseconds, while another NUMA node has free memory; and the page cache of weights is thrown away and read from disk again.
Bit 2 lets it write pages out as well, bit 4 swap.

## Evidence

`/proc/sys/vm/zone_reclaim_mode`, `/sys/devices/system/node/node*/meminfo` (MemFree, file pages). Unknown where a NUMA node is
so full and the setting was not read.

## How to fix

`sysctl vm.zone_reclaim_mode=0` as root, and in `/etc/sysctl.d/` so that it lasts. Bind what must be local with a memory policy
instead: that says what may not spill, and leaves the rest alone.

## How to verify

`sysctl vm.zone_reclaim_mode` prints 0, and `zone_reclaim_success` and `zone_reclaim_failed` of `/proc/vmstat` (newer kernels) stand
still.

## False positives

A host whose work is cut to its NUMA nodes, hardly uses files, and was measured faster so (file servers and some HPC codes are).

## References

- https://docs.kernel.org/admin-guide/sysctl/vm.html#zone-reclaim-mode
- https://docs.kernel.org/admin-guide/mm/concepts.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.units import MIB
from numaaudit.model.sections.capacity import Capacity, NumaNodeMemory
from numaaudit.model.sections.memory_settings import RECLAIMS, MemorySettings, Setting
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA650", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.MEDIUM)
MESSAGE = (
    "vm.zone_reclaim_mode is {value}, and NUMA node {numa_node} has {free_mib} of {total_mib} MiB free and {cache_mib} MiB of page "
    "cache: allocations there reclaim it and wait, while NUMA node {other} has {other_free_mib} MiB free."
)
MESSAGES = {"roomy": "vm.zone_reclaim_mode is {value}: once a NUMA node is full, allocations there reclaim page cache and wait."}
FIX = "Set vm.zone_reclaim_mode to 0."


class Thresholds(NamedTuple):
    """What a policy may change."""

    free_share: float = 0.1
    cache_share: float = 0.2


def check(settings: MemorySettings, capacity: Capacity, limits: Thresholds) -> Iterator[Judgement]:
    setting = settings.zone_reclaim_mode
    full = [memory for memory in capacity.numa_nodes if _reclaims(memory, limits)]
    if len(capacity.numa_nodes) < 2 or (isinstance(setting, Gap) and not full):
        yield not_applicable("host")
    elif isinstance(setting, Gap):
        yield unknown("host", setting)
    elif not setting.value & RECLAIMS:
        yield ok("host", evidence=(setting.evidence,))
    else:
        yield _failure(setting, full[0], capacity) if full else _note(setting)


def _reclaims(memory: NumaNodeMemory, limits: Thresholds) -> bool:
    is_full = memory.free_bytes < limits.free_share * memory.total_bytes
    return is_full and memory.cache_bytes >= limits.cache_share * memory.total_bytes


def _note(setting: Setting) -> Judgement:
    return fail("host", severity=Severity.INFO, message="roomy", evidence=(setting.evidence,), value=setting.value)


def _failure(setting: Setting, memory: NumaNodeMemory, capacity: Capacity) -> Judgement:
    other = max((each for each in capacity.numa_nodes if each is not memory), key=lambda each: each.free_bytes)
    return fail(
        "host",
        related=(f"numa_node:{memory.numa_node}",),
        evidence=(setting.evidence, *memory.evidence[:2]),
        value=setting.value,
        numa_node=memory.numa_node,
        free_mib=memory.free_bytes // MIB,
        total_mib=memory.total_bytes // MIB,
        cache_mib=memory.cache_bytes // MIB,
        other=other.numa_node,
        other_free_mib=other.free_bytes // MIB,
    )
