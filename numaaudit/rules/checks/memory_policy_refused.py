"""# memory-policy-refused (NA310)

The kernel, or a container's seccomp filter, did not let a launcher set a memory policy, so that memory is bound to nothing.

## What it checks

Lines of the named logs in which `set_mempolicy`, `mbind` or numactl's `setting membind` ends in "Operation not permitted", and
launchers' own words for it. The line is said of the process that it names; of the only process in the evidence that runs under
a seccomp filter (`Seccomp: 2`) without CAP_SYS_NICE (bit 23 of `CapEff`), for that is what such a refusal comes from; else of
the launcher, and then at most `likely`.

`low` where the launcher says that it went on with a CPU mask alone: first touch then keeps memory local as long as there is
room. Silent for a process whose memory has an explicit policy now: the line is history. Unknown where a launcher says that
numactl was rejected, and not why.

## Why it matters

A worker that numactl should have started never starts, mostly without a traceback; or the launcher goes on, logs success, and
memory lies wherever the thread ran that touched it first.

## Evidence

Logs that were named when the bundle was made (`--log`), `/proc/PID/status` (Seccomp, CapEff), `/proc/PID/numa_maps` (policy).
The kernel itself asks for no capability here. Docker's and containerd's default profiles do: they let `set_mempolicy`, `mbind`
and `get_mempolicy` through with CAP_SYS_NICE only, and answer EPERM without it. EINVAL is another story, see
cpuset-cuts-affinity (NA601).

## How to fix

Give the container CAP_SYS_NICE (`--cap-add SYS_NICE`, in Kubernetes `securityContext.capabilities.add: [SYS_NICE]`), or a
seccomp profile that lets the three calls through. Where neither may be had, set `cpuset.mems` of the container instead, or bind
CPUs only and let first touch do the rest.

## How to verify

`numactl --membind=0 true` in the container ends without an error, and the second column of `/proc/PID/numa_maps` shows the bind.

## False positives

A log of an earlier start, before the container was given the capability.

## References

- https://docs.docker.com/engine/security/seccomp/
- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
- https://man7.org/linux/man-pages/man7/capabilities.7.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.claim import REFUSED
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import name_of

RULE = Rule("NA310", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{launcher} was not permitted to set a memory policy ({call}), and {who_inside} (pid {pid}) runs under a seccomp filter "
    "without CAP_SYS_NICE."
)
MESSAGES = {
    "named": "{launcher} was not permitted to set a memory policy for {who_inside} (pid {pid}): {call}.",
    "launcher": "{launcher} was not permitted to set a memory policy ({call}), and no process in the evidence shows by what.",
}
FIX = "Give the container CAP_SYS_NICE, or a seccomp profile that permits set_mempolicy and mbind, and start again."

_CALLS = ("set_mempolicy", "membind", "mbind", "memory-policy")
_SYS_NICE = 1 << 23  # include/uapi/linux/capability.h
_FILTER = 2  # SECCOMP_MODE_FILTER


def check(claims: Claims, processes: Processes, ranks: Ranks) -> Iterator[Judgement]:
    refusals = [made for made in claims.all if made.claim.kind == REFUSED]
    judged: dict[str, Judgement] = {}
    for made in refusals:
        if _is_denied(made):
            judgement = _judge(made, processes, ranks)
            judged.setdefault(judgement.subject, judgement)
    yield from judged.values()
    for made in refusals:
        if "rejected" in made.claim.text and not judged:
            yield unknown(f"launcher:{made.claim.launcher}", Gap("ambiguous", made.evidence.path, "the line does not say why"))
            return
    if not judged:
        yield not_applicable("host")


def _is_denied(made: MadeClaim) -> bool:
    return made.claim.role in _CALLS and "not permitted" in made.claim.text


def _judge(made: MadeClaim, processes: Processes, ranks: Ranks) -> Judgement:
    named, confined = _named(made, processes), [process for process in processes.all if _is_confined(process)]
    process = named or (confined[0] if len(confined) == 1 else None)
    if process is None:
        return _of_launcher(made)
    name = name_of(process, ranks)
    if process.policy not in (None, "default"):
        return ok(name.subject, related=name.related, evidence=(made.evidence,), policy=process.policy)
    return fail(
        name.subject,
        severity=_severity(made),
        message=None if process in confined else "named",
        related=(*name.related, f"launcher:{made.claim.launcher}"),
        evidence=(made.evidence, *_filter_lines(process)),
        launcher=made.claim.launcher,
        call=made.claim.text,
        **name.details,
    )


def _named(made: MadeClaim, processes: Processes) -> Process | None:
    """The process that the line is about."""
    if made.rank:
        return made.rank.process
    found = processes.by_any_pid(made.claim.pid) if made.claim.pid is not None else []
    return found[0] if len(found) == 1 else None


def _is_confined(process: Process) -> bool:
    status = process.status.record
    return status.seccomp == _FILTER and status.cap_eff is not None and not status.cap_eff & _SYS_NICE


def _filter_lines(process: Process) -> tuple[Evidence, ...]:
    file = process.status.file
    return tuple(cite(file, f"{key}:") for key in ("Seccomp", "CapEff") if f"{key}:" in file.text)


def _severity(made: MadeClaim) -> Severity | None:
    """A launcher that says "memory-policy" went on with a mask."""
    return Severity.LOW if made.claim.role == "memory-policy" else None


def _of_launcher(made: MadeClaim) -> Judgement:
    return fail(
        f"launcher:{made.claim.launcher}",
        severity=_severity(made),
        confidence=Confidence.LIKELY,
        message="launcher",
        evidence=(made.evidence,),
        canonical=f"launcher:{made.claim.launcher}",
        launcher=made.claim.launcher,
        call=made.claim.text,
    )
