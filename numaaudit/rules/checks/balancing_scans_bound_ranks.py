"""# balancing-scans-bound-ranks (NA318)

The kernel's automatic NUMA balancing is on, and scans the memory of processes that are bound by hand already.

## What it checks

`kernel.numa_balancing` with bit 1 set, on a host where several NUMA nodes have memory, and processes whose CPUs (mask, cut by the
cpuset and by what is online) lie in one NUMA node: ranks, and others with at least `bound_mib` (1024) MiB resident. It fails

- where balancing worked between two readings (`numa_hint_faults` in `/proc/vmstat` grew): `low`; or
- where one of those processes has the default memory policy, which is what balancing scans: `low`, at most `likely`.

`info` where all of them have a memory policy of their own, which balancing leaves alone, and no second reading shows that it
works. Tiering alone (bit 2) is not judged, nor is a host where nothing is bound: there balancing is what repairs locality.

## Why it matters

Balancing takes pages out of the page tables every so often to see who touches them. Each touch is then a fault, on the hot path;
pages that CUDA or RDMA pinned cannot move anyway, so the faults buy nothing. The kernel's documentation advises to turn it off
for work that is bound.

## Evidence

`/proc/sys/kernel/numa_balancing`, `/proc/PID/status` (Cpus_allowed_list), `/proc/PID/numa_maps` (policy), `/proc/vmstat` of two
readings; its counters are of the whole host. Unknown where a process is bound and the setting was not read.

## How to fix

`sysctl kernel.numa_balancing=0` for the service's hosts, as root, and in `/etc/sysctl.d/` so that it lasts; a tuned profile may
set it back. Nothing needs a restart. Processes on the same host that are not bound lose what balancing did for them.

## How to verify

`grep numa_hint_faults /proc/vmstat` twice, a minute apart, prints the same number.

## False positives

A host that is shared with work that is not bound and gains more than the ranks lose.

## References

- https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.sections.memory_settings import BALANCES, MemorySettings, Setting
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA318", gate=Gate.PLACEMENT, category="numa-balancing", severity=Severity.LOW)
MESSAGE = (
    "kernel.numa_balancing is {value}, but {who_inside} (pid {pid}; {num_bound} such processes in all) is bound to CPUs {cpus} of NUMA "
    "node {numa_nodes} already, under the memory policy {policy}."
)
MESSAGES = {
    "faults": "kernel.numa_balancing is {value} and took {hint_faults} hint faults between two readings, but {who_inside} (pid {pid}; "
    "{num_bound} such processes in all) is bound to CPUs {cpus} of NUMA node {numa_nodes} already."
}
FIX = "Set kernel.numa_balancing to 0 on hosts whose work is bound."


class Thresholds(NamedTuple):
    """What a policy may change."""

    bound_mib: int = 1024


def check(settings: MemorySettings, processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    bound = [named for process in processes.all if _is_bound(named := name_of(process, ranks), topology, limits)]
    if not bound or sum(bool(numa_node.memory_bytes) for numa_node in topology.numa_nodes) < 2:
        yield not_applicable("host")
    elif isinstance(settings.numa_balancing, Gap):
        yield unknown("host", settings.numa_balancing)
    elif not settings.numa_balancing.value & BALANCES:
        yield ok("host", evidence=(settings.numa_balancing.evidence,))
    else:
        yield _failure(settings, settings.numa_balancing, bound, topology)


def _is_bound(named: Naming, topology: Topology, limits: Thresholds) -> bool:
    cpus, rss = named.process.effective_cpus, named.process.status.record.rss_bytes
    if named.rank is None and (rss is None or rss < limits.bound_mib * MIB):
        return False
    return cpus is not None and len(topology.numa_nodes_of(cpus)) == 1


def _failure(settings: MemorySettings, setting: Setting, bound: list[Naming], topology: Topology) -> Judgement:
    scanned = [named for named in bound if named.process.policy == "default"]
    named = (scanned or bound)[0]
    works = bool(settings.hint_faults)
    cpus = named.process.effective_cpus
    return fail(
        "host",
        severity=None if works or scanned else Severity.INFO,
        confidence=Confidence.CERTAIN if works else Confidence.LIKELY,
        message="faults" if works else None,
        related=tuple(each.subject for each in scanned or bound),
        evidence=(setting.evidence, *named.process.evidence, *_policy_line(named.process)),
        value=setting.value,
        hint_faults=settings.hint_faults,
        num_bound=len(bound),
        policy=named.process.policy or "that is not known",
        cpus=cpus,
        numa_nodes=topology.numa_nodes_of(cpus) if cpus else None,
        **{key: value for key, value in named.details.items() if key != "canonical"},
    )


def _policy_line(process: Process) -> tuple[Evidence, ...]:
    return () if isinstance(process.maps, Gap) else (cite_line(process.maps.file, 1),)
