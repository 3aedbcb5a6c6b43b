"""# launcher-binding-not-in-force (NA702)

A rank has CPUs that the launcher which started it, by its own rules, does not give it.

## What it checks

Ranks whose launcher and binding mode leave no choice: `torchrun --numa-binding`, DeepSpeed's `--bind_cores_to_rank`, one
`numactl` or `taskset` behind `mpirun` (or `sudo`, `timeout`) as the rank's parent, or the mask that srun chose for the very
process that slurmstepd started. The launcher's model (that of `numaaudit predict`) says which CPUs the rank should have, from
the mask of the launcher itself; the main thread's effective CPUs are compared with them. It fails where they hold a CPU that is
not among those, and says why as far as the evidence tells:

- the rank has the CPUs that another binder's log line names: it wrote over the launcher's mask;
- the rank has all CPUs that the launcher itself, or the rank's cpuset, has: the binding never ran, or was undone;
- the rank has the CPUs of another local rank: it was bound by a wrong number;
- none of these: something wrote over the mask, at most `likely`.

`medium` where the CPUs are not all local to the rank's GPU, `low` where they are in its package, `info` where they are local or
the GPU's NUMA node is not known. A mask inside the predicted one passes: somebody narrowed it on purpose. Silent where the
launcher's own log names other CPUs than the model, where the rank may bind itself (OpenMP's affinity variables, an engine's own
option), and where the cpuset of the rank lacks some of the CPUs: that is cpuset-cuts-affinity (NA601).

## Why it matters

The option on the command line is what people trust when they rule out placement. A binding that another layer undoes, or that
was computed for another rank, costs the same as none, and prints nothing.

## Evidence

`/proc/PID/cmdline` of the rank's parent (collect it with `--match`), `/proc/PID/environ` (LOCAL_RANK, LOCAL_WORLD_SIZE,
CUDA_VISIBLE_DEVICES, SLURM_CPU_BIND_LIST, SLURM_TASK_PID), both processes' `/proc/PID/status`, cpusets, sysfs, and logs that
were named (`--log`). Unknown where the launcher is recognised and the mask of either process is missing.

## How to fix

Leave one owner of the mask: remove the second binder, or the launcher's option. Where the rank has another one's CPUs, look at
what changes its local rank or its visible devices between launcher and rank.

## How to verify

`taskset -cp PID` shows the CPUs that `numaaudit predict INPUT --launcher NAME` prints for the rank.

## False positives

Code in the rank that sets its own mask on purpose and says so nowhere. A launcher of a version whose rules differ from those of
the model; `numaaudit predict` prints which version that is. A launcher whose own mask was changed after it had started the rank.

## References

- https://docs.pytorch.org/docs/stable/elastic/run.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://slurm.schedmd.com/srun.html
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.recognise import Recognised, recognise
from numaaudit.model.locality import home_of
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.cpu_groups import CpuGroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

if TYPE_CHECKING:  # the models are imported where a launcher was recognised: start-up
    from numaaudit.launchers.explain import Expected

RULE = Rule("NA702", gate=Gate.PLACEMENT, category="launcher-defect", severity=Severity.MEDIUM, about_numbering=True, caused_by=("NA601",))
MESSAGE = (
    "{launcher} should have given {who_inside} (pid {pid}) CPUs {wanted}, but it may run on CPUs {cpus}: something wrote over the mask."
)
MESSAGES = {
    "overwritten": "{launcher} should have given {who_inside} (pid {pid}) CPUs {wanted}, but it may run on CPUs {cpus}, "
    "which {by} says that it gave.",
    "never-ran": "{launcher} should have given {who_inside} (pid {pid}) CPUs {wanted}, but it may run on all CPUs that it could have "
    "without that, {cpus}: the binding never ran, or was undone.",
    "wrong-number": "{launcher} should have given {who_inside} (pid {pid}) CPUs {wanted}, but it may run on CPUs {cpus}, "
    "those of local rank {other}.",
}
FIX = "Restart {who_inside} with {launcher} as the only one that sets a mask."


class _Seen(NamedTuple):
    """A rank with the launcher that was recognised and the limits of its mask."""

    rank: Rank
    found: Recognised
    cpus: CpuSet
    started_with: CpuSet
    limit: CpuSet
    online: CpuSet
    made: MadeClaim | None


def check(
    ranks: Ranks,
    topology: Topology,
    devices: Devices,
    pci: PciFunctions,
    groups: CpuGroups,
    cgroups: Cgroups,
    processes: Processes,
    claims: Claims,
    cmdlines: tuple[Found[ProcCmdline], ...],
) -> Iterator[Judgement]:
    for rank in ranks.all:
        found = None if topology.has_one_cpu_node() else recognise(rank, processes, cmdlines)
        if found is None:
            yield not_applicable(rank.subject)
            continue
        seen = _seen(rank, found, cgroups, topology.online, claims)
        if isinstance(seen, Gap):
            yield unknown(rank.subject, seen, related=rank.related)
            continue
        from numaaudit.launchers.explain import Board, expected_of

        expected = expected_of(rank, found, Board(topology, devices, pci, groups, seen.online), seen.started_with)
        yield _judge(seen, expected, topology) if expected else not_applicable(rank.subject)


def _seen(rank: Rank, found: Recognised, cgroups: Cgroups, online: CpuSet | None, claims: Claims) -> _Seen | Gap:
    """Both masks; a gap where one is missing."""
    if not online:
        return Gap("absent", "root/sys/devices/system/cpu/online", "no source says which CPUs are online")
    limit = (cgroups.effective_cpus(rank.process.pid) or online) & online
    if not rank.process.effective_cpus:
        return missing_mask(rank.process)
    started_with = found.starter.effective_cpus if found.starter else limit
    if not started_with:
        return missing_mask(found.starter or rank.process)
    return _Seen(rank, found, rank.process.effective_cpus, started_with, limit, online, claims.last_mask(rank))


def _judge(seen: _Seen, expected: "Expected", topology: Topology) -> Judgement:
    rank, own = seen.rank, seen.made.claim if seen.made and seen.made.claim.launcher == seen.found.launcher else None
    if not expected.cpus <= seen.limit or (own and own.cpus != expected.cpus):
        return not_applicable(rank.subject)
    if seen.cpus <= expected.cpus:
        evidence = (seen.found.evidence, *rank.process.evidence)
        return ok(rank.subject, related=rank.related, evidence=evidence, launcher=seen.found.called, cpus=seen.cpus)
    return _failure(seen, expected, topology)


def _failure(seen: _Seen, expected: "Expected", topology: Topology) -> Judgement:
    rank, message = seen.rank, _why(seen, expected)
    by = seen.made if message == "overwritten" else None
    evidence = (seen.found.evidence, *((by.evidence,) if by else ()), *rank.process.evidence)
    return fail(
        rank.subject,
        severity=_severity(seen, topology),
        confidence=Confidence.CERTAIN if message else Confidence.LIKELY,
        message=message,
        related=(*rank.related, f"launcher:{seen.found.launcher}"),
        evidence=evidence,
        canonical=rank.canonical,
        launcher=seen.found.called,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        wanted=expected.cpus,
        cpus=seen.cpus,
        by=by.claim.launcher if by else None,
        other=_owner(seen, expected),
    )


def _why(seen: _Seen, expected: "Expected") -> str | None:
    """The key of the sentence; None where the evidence does not tell."""
    if seen.made and seen.made.claim.launcher != seen.found.launcher and seen.made.claim.cpus == seen.cpus:
        return "overwritten"
    if seen.cpus in (seen.started_with, seen.limit):
        return "never-ran"
    return "wrong-number" if _owner(seen, expected) is not None else None


def _owner(seen: _Seen, expected: "Expected") -> int | None:
    """The first other local rank that should have these CPUs."""
    return next((number for number, cpus in sorted(expected.others.items()) if cpus == seen.cpus), None)


def _severity(seen: _Seen, topology: Topology) -> Severity | None:
    home = home_of(seen.rank, topology)
    if isinstance(home, Gap) or seen.cpus <= home.cpus:
        return Severity.INFO
    return Severity.LOW if topology.same_package(seen.cpus, home.cpus) else None
