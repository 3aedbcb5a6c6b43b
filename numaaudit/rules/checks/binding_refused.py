"""# binding-refused (NA703)

A log shows that CPUs or NUMA nodes were asked for and refused, and nothing in the evidence shows what ran instead.

## What it checks

Lines in which numactl, libnuma, taskset, strace or a launcher refuses a list of CPUs or NUMA nodes: "cpu argument 8-15 is out
of range", "node argument 1 is out of range", `sched_setaffinity(…) = -1 EINVAL`. Only where no process is in the evidence: a
process's mask tells what came of it, and other rules judge that. The sentence says which of the CPUs the host has, where its
CPUs are known. Silent for a log without such lines; unknown where a line says "Invalid argument" and not for what.

## Why it matters

numactl gives up before the program starts, so that a worker dies without a traceback, or a launcher that swallows the error
goes on unbound. CPUs that are online and refused are not in the caller's cpuset: a job's or container's allocation is smaller
than the host its launcher counted.

## Evidence

The log as pasted or named (`--log`); `lscpu`, `numactl --hardware` or sysfs for the host's CPUs and NUMA nodes.

## How to fix

Ask for CPUs out of what the job has: `taskset -cp $$` or `numactl --show` inside it, numactl's relative `+0-7`, or
`os.sched_getaffinity(0)` in the launcher. Or give the job the CPUs that it counts on: Slurm's `--exclusive` or a larger
`--cpus-per-task`, a wider `--cpuset-cpus` of the container.

## How to verify

The same numactl or taskset command in front of `true`, inside the job, ends without an error.

## False positives

A launcher that tries several bindings and says so only for those that failed.

## References

- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://github.com/mlcommons/training_results_v0.7/issues/6
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import IdSet, NodeSet
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.claim import REFUSED
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, unknown

RULE = Rule("NA703", gate=Gate.PLACEMENT, category="launcher-defect", severity=Severity.MEDIUM, caused_by=("NA311",))
MESSAGE = "{launcher} was refused {what} {wanted}, and nothing in the evidence shows what ran instead."
MESSAGES = {
    "outside": "{launcher} was refused {what} {wanted}, which the host has: the cpuset of the job or container lacks at least one of them.",
    "missing": "{launcher} was refused {what} {wanted}: the host has {what} {has} only.",
}
FIX = "Ask for {kind} out of those that the job may use: numactl --show, run inside it, prints them."


def check(claims: Claims, processes: Processes, topology: Topology) -> Iterator[Judgement]:
    refused = [] if processes.all else [made for made in claims.all if made.claim.kind == REFUSED]
    judged = {judgement.subject: judgement for made in refused for judgement in _judge(made, topology)}
    yield from judged.values()
    if not judged:
        yield _of_no_list(refused)


def _of_no_list(refused: list[MadeClaim]) -> Judgement:
    """EINVAL for CPUs or NUMA nodes that no line names; a call that was not permitted is another rule's."""
    invalid = next((made for made in refused if "Invalid argument" in made.claim.text), None)
    if invalid is None:
        return not_applicable("host")
    gap = Gap("ambiguous", invalid.evidence.path, "the line does not say which CPUs or NUMA nodes were asked for")
    return unknown(f"launcher:{invalid.claim.launcher}", gap)


def _judge(made: MadeClaim, topology: Topology) -> Iterator[Judgement]:
    if made.claim.cpus:
        yield _failure(f"cpus:{made.claim.cpus}", made, "CPUs", made.claim.cpus, topology.online)
    for number in made.claim.mems or ():
        yield _failure(f"numa_node:{number}", made, "NUMA node", NodeSet((number,)), _those_there(number, topology))


def _those_there(number: int, topology: Topology) -> NodeSet | None:
    """The host's NUMA nodes; None where they are not all known, or this one may be refused for having no memory."""
    numa_node = topology.numa_node(number)
    if not topology.is_complete or not topology.numa_nodes or (numa_node and not numa_node.memory_bytes):
        return None
    return NodeSet(each.id for each in topology.numa_nodes)


def _failure(subject: str, made: MadeClaim, what: str, wanted: IdSet, has: IdSet | None) -> Judgement:
    return fail(
        subject,
        confidence=Confidence.LIKELY,
        message=None if has is None else "outside" if wanted <= has else "missing",
        related=(f"launcher:{made.claim.launcher}",),
        evidence=(made.evidence,),
        canonical=f"launcher:{made.claim.launcher} {subject}",
        launcher=made.claim.launcher,
        what=what,
        kind=what if what.endswith("s") else f"{what}s",
        wanted=wanted,
        has=has,
    )
