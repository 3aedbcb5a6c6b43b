"""# bind-claim-against-numa-node (NA701)

A launcher's log says that it bound a rank, and the CPUs it names are not local to the rank's GPU, or are not the rank's.

## What it checks

The last line of each log that says which CPUs a rank was given (`bind_cpu gpu_id: X, cpus: [...]`, `Process P ... is running on
CPUs`, `cpu-bind=MASK ... set`, and so on), against the real CPUs of the NUMA node that the rank's GPU hangs on, and against the
mask that the rank has. It fails

- when none of the CPUs in the line is local and the rank has no local CPU either: the launcher did as it says, and its CPUs are
  wrong for this board;
- when the CPUs in the line are local and the rank's are not all local, and no cpuset explains it: the binding never took
  effect, or another layer (a second launcher, taskset, OpenMP) wrote over it later;
- when nothing but the line and the board is known (no process in the evidence): CPUs that are not local, or partly not, at most
  `likely`, said of the GPU with the number in the line.

A wrong line of a rank that runs locally is history, and silent. What a cpuset cut off is NA601's. Within one package `low`
(crossing only: `info`). "Binding succeeded" is a claim, never evidence of a mask.

## Why it matters

The line in the log is what people trust when they rule out placement. Slices that are counted out by rank number are right on
symmetric boards with contiguous numbering only, and the log prints success on all others too.

## Evidence

Logs that were named when the bundle was made (`--log`), the driver's process table or the rank's environment for which rank is
meant (PID in any namespace, then rank, then the launcher's device number as local rank), `/proc/PID/status`, sysfs. Unknown
where the line's rank or GPU cannot be told, or the GPU's NUMA node.

## How to fix

Give the launcher the real CPUs of the GPU's NUMA node (its NUMA option, or an explicit map) in place of counted slices. If
something wrote over the mask, find the later binder: `OMP_PROC_BIND`, `KMP_AFFINITY`, taskset in a wrapper, the unit's
CPUAffinity; leave one owner.

## How to verify

The new log names CPUs of the right NUMA node, and `taskset -acp PID` shows the same.

## False positives

A log that belongs to an earlier start of the job, or to another host with the same ranks.

## References

- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://gcc.gnu.org/onlinedocs/libgomp/Environment-Variables.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.gpus import Gpu
from numaaudit.model.locality import Home, home_of, home_of_gpus
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("NA701", gate=Gate.PLACEMENT, category="launcher-defect", severity=Severity.MEDIUM)
MESSAGE = (
    "{launcher} says that it gave {who_inside} CPUs {claimed} of NUMA node {claimed_numa_nodes}, and it runs on CPUs {cpus}, "
    "but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
)
MESSAGES = {
    "overwritten": "{launcher} says that it gave {who_inside} CPUs {claimed}, local to its GPU {gpu} on NUMA node {gpu_numa_node}, "
    "but (pid {pid}) it may run on CPUs {cpus}.",
    "claim-only": "{launcher} says that it gave GPU number {number} CPUs {claimed} of NUMA node {claimed_numa_nodes}, "
    "but GPU {gpu} hangs on NUMA node {gpu_numa_node}.",
}
FIX = "Let {launcher} give {who_inside} CPUs {local_cpus}, and let nothing else set its mask."


class _Around(NamedTuple):
    """What is known of the host."""

    topology: Topology
    cgroups: Cgroups
    devices: Devices


def check(claims: Claims, ranks: Ranks, devices: Devices, topology: Topology, cgroups: Cgroups) -> Iterator[Judgement]:
    around = _Around(topology, cgroups, devices)
    masks = [made for made in claims.all if made.is_mask]
    for rank in ranks.all:
        made = claims.last_mask(rank)
        yield _of_rank(rank, made, around) if made else not_applicable(rank.subject)
    for made in {made.claim.gpu: made for made in masks if not ranks.all and made.claim.gpu is not None}.values():
        yield _of_gpu(made, around)
    told = {made.claim.launcher for made in masks if made.rank or (not ranks.all and made.claim.gpu is not None)}
    for launcher, made in {made.claim.launcher: made for made in masks if made.claim.launcher not in told}.items():
        gap = Gap("ambiguous", made.evidence.path, "its lines name no rank or GPU that is known from the evidence")
        yield unknown(f"launcher:{launcher}", gap)


def _of_rank(rank: Rank, made: MadeClaim, around: _Around) -> Judgement:
    if around.topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    home, cpus = home_of(rank, around.topology), rank.process.effective_cpus
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    claimed = _online(made, around.topology)
    limit = around.cgroups.effective_cpus(rank.process.pid)
    message = _contradiction(claimed, cpus, limit, home)
    if message is None:
        return ok(rank.subject, related=rank.related, evidence=(made.evidence, *rank.process.evidence), claimed=claimed, cpus=cpus)
    return fail(
        rank.subject,
        message=message or None,
        severity=_severity(around.topology, claimed | cpus, home, is_crossing=home.is_straddled_by(cpus)),
        related=(*rank.related, f"launcher:{made.claim.launcher}"),
        evidence=(made.evidence, *rank.process.evidence, *home.evidence),
        canonical=rank.canonical,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        cpus=cpus,
        **_facts(made, claimed, home, rank.gpus[0], around.topology),
    )


def _contradiction(claimed: CpuSet, cpus: CpuSet, limit: CpuSet | None, home: Home) -> str | None:
    """The key of the sentence that holds (empty for the first one), None where line, mask and board agree or the line is history."""
    if claimed.isdisjoint(home.cpus):
        return "" if cpus.isdisjoint(home.cpus) else None
    is_cut = limit is not None and not claimed <= limit
    return "overwritten" if claimed <= home.cpus and not cpus <= home.cpus and not is_cut else None


def _of_gpu(made: MadeClaim, around: _Around) -> Judgement:
    gpu = next((gpu for gpu in around.devices.gpus if gpu.index == made.claim.gpu), None)
    if gpu is None:
        gap = Gap("ambiguous", made.evidence.path, f"no GPU with index {made.claim.gpu} is known")
        return unknown(f"gpu:#{made.claim.gpu}", gap)
    subject, home, claimed = f"gpu:{gpu.name}", home_of_gpus((gpu,), around.topology), _online(made, around.topology)
    if around.topology.has_one_cpu_node():
        return not_applicable(subject)
    if isinstance(home, Gap):
        return unknown(subject, home)
    if claimed <= home.cpus:
        return ok(subject, evidence=(made.evidence, *home.evidence), claimed=claimed)
    return fail(
        subject,
        message="claim-only",
        severity=_severity(around.topology, claimed, home, is_crossing=home.is_straddled_by(claimed)),
        confidence=Confidence.LIKELY,
        related=(f"launcher:{made.claim.launcher}",),
        evidence=(made.evidence, *home.evidence),
        canonical=gpu.canonical,
        who_inside="the rank of this GPU",
        **_facts(made, claimed, home, gpu, around.topology),
    )


def _online(made: MadeClaim, topology: Topology) -> CpuSet:
    claimed = made.claim.cpus or CpuSet()
    return claimed & topology.online if topology.online else claimed


def _severity(topology: Topology, cpus: CpuSet, home: Home, *, is_crossing: bool) -> Severity | None:
    """Within one package a note, or low."""
    if not topology.same_package(cpus, home.cpus):
        return None
    return Severity.INFO if is_crossing else Severity.LOW


def _facts(made: MadeClaim, claimed: CpuSet, home: Home, gpu: Gpu, topology: Topology) -> dict[str, object]:
    return {
        "launcher": made.claim.launcher,
        "number": made.claim.gpu,
        "claimed": claimed,
        "claimed_numa_nodes": topology.numa_nodes_of(claimed),
        "gpu": gpu.name,
        "gpu_numa_node": home.numa_nodes,
        "local_cpus": home.cpus,
    }
