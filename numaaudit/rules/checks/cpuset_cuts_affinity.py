"""# cpuset-cuts-affinity (NA601)

A control group's cpuset takes away the CPUs that a rank needs or asked for, and the rank was not told.

## What it checks

For each rank, from the root of the control groups down, which group first lacks CPUs. It fails

- when no CPU that the rank may use is on its GPU's NUMA node, because its cpuset holds none of them: the rank cannot be local
  whatever it asks for. The group nearest the root that lacks them all is named (`high`; `low` within one package);
- when CPUs were asked for, in the launcher's log or by a numactl or taskset above the process, the cpuset holds part of them
  only, and the rank has exactly that part: the kernel cuts such a mask without an error. `medium` where at least `cut_share`
  (0.5) of what was asked for is gone or what is left is not local, else `low`. What is offline was not cut by a cpuset.

For a log that says that NUMA nodes or CPUs were refused, and processes that all share one cpuset without any of them, the
control group is named (`medium`). Silent where a rank has what its cpuset gives and that is local.

## Why it matters

A container's cpuset is chosen by the kubelet, Slurm or an administrator, the rank's CPUs by a launcher that counts the host's:
neither knows the other. An empty intersection is an error (EINVAL) that many launchers swallow; a partial one is silence, and a
rank of 16 CPUs goes on with two.

## Evidence

`/proc/PID/status`, `/proc/PID/cgroup`, `cpuset.cpus.effective` and `cpuset.mems.effective` of every group above (v1:
`cpuset.effective_cpus`), the named logs, `/proc/PID/cmdline` of the process and its parents. Unknown when a mask or the chain
is not known and it would decide.

## How to fix

Change the set where its owner sets it, not in `/sys/fs/cgroup`, where it is overwritten: kubelet's Topology Manager
(`single-numa-node` or `restricted`, with CPU and memory managers `static`) and whole CPUs in a Guaranteed pod; Slurm's
`gres.conf` Cores and `--gpu-bind`; `--cpuset-cpus` of the container runtime; `AllowedCPUs=` of a systemd unit. Or let the job
have a GPU that is local to the CPUs it has.

## How to verify

`cat /sys/fs/cgroup/GROUP/cpuset.cpus.effective` holds the CPUs; `Cpus_allowed_list` of the restarted rank is what was asked.

## False positives

A log of an earlier start, made before the container was moved, asks for what nobody wants now.

## References

- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
- https://man7.org/linux/man-pages/man7/cpuset.7.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, IdSet
from numaaudit.model.asked import Asked, asked_for
from numaaudit.model.locality import Home, home_of
from numaaudit.model.sections.cgroups import Cgroup, Cgroups
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.claim import REFUSED
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("NA601", gate=Gate.PLACEMENT, category="cpuset-clip", severity=Severity.HIGH, caused_by=("NA602",))
MESSAGE = (
    "{who} (pid {pid}) cannot be local: its GPU {gpu} hangs on NUMA node {gpu_numa_node} with CPUs {wanted}, "
    "but {group} ({owner}) has CPUs {has} only."
)
MESSAGES = {
    "cut": "{by} asked for CPUs {wanted} for {who_inside} (pid {pid}), but {group} ({owner}) has CPUs {has} only, "
    "and the rank runs on CPUs {cpus}.",
    "refused": "{by} was refused {kind} {wanted}: {group} ({owner}) has {kind} {has} only.",
}
FIX = "Let {owner} give {group} {kind} {wanted}, or use a GPU that is local to what it has."


class Thresholds(NamedTuple):
    """What a policy may change."""

    cut_share: float = 0.5


S = TypeVar("S", bound=IdSet)


class _Around(NamedTuple):
    """What is known of the host."""

    topology: Topology
    cgroups: Cgroups
    processes: Processes
    limits: Thresholds


def check(
    ranks: Ranks,
    topology: Topology,
    cgroups: Cgroups,
    processes: Processes,
    claims: Claims,
    cmdlines: tuple[Found[ProcCmdline], ...],
    limits: Thresholds,
) -> Iterator[Judgement]:
    around = _Around(topology, cgroups, processes, limits)
    for rank in ranks.all:
        yield _judge(rank, around, asked_for(rank, claims, processes, cmdlines, topology))
    refused = {found.subject: found for made in claims.all if (found := _refusal(made, around))}
    yield from refused.values()


def _judge(rank: Rank, around: _Around, asked: Asked | None) -> Judgement:
    if around.topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    cpus, home, pid = rank.process.effective_cpus, home_of(rank, around.topology), rank.process.pid
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    if not isinstance(home, Gap) and cpus.isdisjoint(home.cpus):
        group = around.cgroups.first_without(pid, lambda each: _has_none(each.effective_cpus, home.cpus))
        if group:
            return _excluded(rank, around, home, group)
    if asked and (cut := _cut(rank, around, home, asked)):
        return cut
    if not around.cgroups.chain(pid) and (isinstance(home, Gap) or asked or cpus.isdisjoint(home.cpus)):
        return unknown(rank.subject, Gap("absent", f"root/proc/{pid}/cgroup", "its cpusets are not known"), related=rank.related)
    if isinstance(home, Gap) and not asked:
        return unknown(rank.subject, home, related=rank.related)
    return ok(rank.subject, related=rank.related, evidence=rank.process.evidence, cpus=cpus)


def _has_none(given: S | None, wanted: S) -> bool:
    """Whether a set that is known holds nothing of what is wanted."""
    return bool(given) and given is not None and given.isdisjoint(wanted)


def _excluded(rank: Rank, around: _Around, home: Home, group: Cgroup) -> Judgement:
    near = around.topology.same_package(rank.process.effective_cpus or CpuSet(), home.cpus)
    return fail(
        rank.subject,
        severity=Severity.LOW if near else None,
        related=(*rank.related, f"cgroup:{group.path}"),
        evidence=group.evidence + rank.process.evidence + home.evidence,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        by=None,
        **_facts(rank, group, home.cpus),
    )


def _cut(rank: Rank, around: _Around, home: Home | Gap, asked: Asked) -> Judgement | None:
    """Where the rank has just the part of what was asked for that its cpuset holds."""
    cpus, limit = rank.process.effective_cpus or CpuSet(), around.cgroups.effective_cpus(rank.process.pid)
    wanted = asked.cpus & around.topology.online if around.topology.online else asked.cpus
    if limit is None or wanted <= limit or cpus != wanted & limit:
        return None
    group = around.cgroups.first_without(rank.process.pid, lambda each: bool(each.effective_cpus and wanted - each.effective_cpus))
    if group is None:
        return None
    is_harmless = len(cpus) > (1 - around.limits.cut_share) * len(wanted) and (isinstance(home, Gap) or cpus <= home.cpus)
    return fail(
        rank.subject,
        severity=Severity.LOW if is_harmless else Severity.MEDIUM,
        message="cut",
        related=(*rank.related, f"cgroup:{group.path}"),
        evidence=(asked.evidence, *group.evidence, *rank.process.evidence),
        by=asked.by,
        **_facts(rank, group, wanted),
    )


def _facts(rank: Rank, group: Cgroup, wanted: CpuSet) -> dict[str, object]:
    return {
        "canonical": rank.canonical,
        "who": rank.title,
        "who_inside": rank.title_inside,
        "rank": rank.number,
        "pid": rank.process.pid,
        "cpus": rank.process.effective_cpus,
        "kind": "CPUs",
        "wanted": wanted,
        "group": f"cgroup {group.path}",
        "owner": group.owner or "its owner",
        "has": group.effective_cpus,
    }


def _refusal(made: MadeClaim, around: _Around) -> Judgement | None:
    """A refused set of which the one cpuset that all processes share has nothing, though the host has it."""
    claim = made.claim
    pids = [made.rank.process.pid] if made.rank else [process.pid for process in around.processes.all]
    paths = {around.cgroups.path_of_pid.get(pid) for pid in pids}
    if claim.kind != REFUSED or len(paths) != 1:
        return None
    topology, cgroups = around.topology, around.cgroups
    if claim.mems and any((known := topology.numa_node(number)) and known.memory_bytes for number in claim.mems):
        mems = claim.mems
        group = cgroups.first_without(pids[0], lambda each: _has_none(each.effective_mems, mems))
        return _refused(made, group, "NUMA node", claim.mems, group.effective_mems) if group else None
    if claim.cpus and topology.online and not claim.cpus.isdisjoint(topology.online):
        cpus = claim.cpus
        group = cgroups.first_without(pids[0], lambda each: _has_none(each.effective_cpus, cpus))
        return _refused(made, group, "CPUs", claim.cpus, group.effective_cpus) if group else None
    return None


def _refused(made: MadeClaim, group: Cgroup, kind: str, wanted: object, has: object) -> Judgement:
    return fail(
        f"cgroup:{group.path}",
        severity=Severity.MEDIUM,
        message="refused",
        related=(f"launcher:{made.claim.launcher}",),
        evidence=(made.evidence, *(group.memory_evidence if kind != "CPUs" else group.evidence)),
        by=made.claim.launcher,
        kind=kind,
        wanted=wanted,
        group=f"cgroup {group.path}",
        owner=group.owner or "its owner",
        has=has,
    )
