"""# cpuset-without-local-memory (NA651)

A control group gives a rank the CPUs of its GPU's NUMA node, and none of its memory.

## What it checks

For each rank with a GPU whose NUMA node is known and has memory: the NUMA nodes whose memory it may use (`Mems_allowed_list`,
else its cpuset's `cpuset.mems.effective`). It fails where they are all others: the group nearest the root that lacks the memory
is named. `high`; `low` where what it may use lies in the same package. A rank whose cpuset lacks the CPUs as well is the matter of
cpuset-cuts-affinity (NA601).

## Why it matters

A policy cannot widen a cpuset: `numactl --membind=N` is refused (EINVAL), and the default policy takes memory from the other
package without a word. Masks look right, so that nothing but the pages tells.

## Evidence

`/proc/PID/status` (Mems_allowed_list), `cpuset.mems.effective` of every group above (v1: `cpuset.effective_mems`),
`/sys/devices/system/node/node*/meminfo`. Unknown when what the rank may use, or its GPU's NUMA node, is not known.

## How to fix

Change the set where its owner sets it: kubelet's memory manager `Static` together with a Topology Manager policy, `--cpuset-mems`
of the container runtime, `AllowedMemoryNodes=` of a systemd unit. cgroup v2 moves pages when the set changes; v1 leaves them unless
`cpuset.memory_migrate` is 1. Pinned pages stay in both: restart the rank.

## How to verify

`grep Mems_allowed_list /proc/PID/status` names the GPU's NUMA node; `numastat -p PID` of the restarted rank shows memory there.

## False positives

A host where the memory of that NUMA node was set aside for something else on purpose.

## References

- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
- https://man7.org/linux/man-pages/man7/cpuset.7.html
- https://kubernetes.io/docs/tasks/administer-cluster/memory-manager/
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import cite
from numaaudit.model.locality import Home, home_of
from numaaudit.model.sections.cgroups import Cgroup, Cgroups
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA651", gate=Gate.PLACEMENT, category="cpuset-clip", severity=Severity.HIGH)
MESSAGE = (
    "{who} (pid {pid}) may run on NUMA node {gpu_numa_node}, where its GPU {gpu} hangs, but {group} lets it use memory of NUMA node "
    "{has} only."
)
FIX = "Let {owner} give {group} the memory of NUMA node {gpu_numa_node}, and restart {who_inside}."


def check(ranks: Ranks, topology: Topology, cgroups: Cgroups) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield not_applicable(rank.subject) if topology.has_one_cpu_node() else _judge(rank, topology, cgroups)


def _judge(rank: Rank, topology: Topology, cgroups: Cgroups) -> Judgement:
    home, allowed = home_of(rank, topology), rank.process.allowed_mems or cgroups.effective_mems(rank.process.pid)
    if allowed and topology.cpu_nodes <= allowed:
        return ok(rank.subject, related=rank.related, allowed=allowed)
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    local = NodeSet(number for number in home.numa_nodes if (known := topology.numa_node(number)) and known.memory_bytes != 0)
    if not local:
        return not_applicable(rank.subject)
    if allowed is None:
        gap = Gap("absent", rank.process.status.file.path, "no Mems_allowed_list in it, and no cpuset that tells")
        return unknown(rank.subject, gap, related=rank.related)
    cpus = rank.process.effective_cpus
    if not allowed.isdisjoint(local) or (cpus and cpus.isdisjoint(home.cpus)):
        return ok(rank.subject, related=rank.related, allowed=allowed)
    group = cgroups.first_without(rank.process.pid, lambda each: each.effective_mems is not None and each.effective_mems.isdisjoint(local))
    return _failure(rank, topology, home, allowed, group)


def _failure(rank: Rank, topology: Topology, home: Home, allowed: NodeSet, group: Cgroup | None) -> Judgement:
    status, near = rank.process.status.file, topology.same_package(topology.cpus_of(allowed), home.cpus)
    return fail(
        rank.subject,
        severity=Severity.LOW if near else None,
        related=(*rank.related, *((f"cgroup:{group.path}",) if group else ())),
        evidence=(cite(status, "Mems_allowed_list", "Mems_allowed"), *(group.memory_evidence if group else ()), *home.evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        group=f"cgroup {group.path}" if group else "its cpuset",
        owner=(group.owner if group else None) or "its owner",
        has=allowed,
    )
