"""# kubelet-cpus-not-in-force (NA602)

The kubelet's state file gives a container CPUs that its cgroup does not have.

## What it checks

For each process of a pod on a host whose CPU manager's policy is `static`: the exclusive CPUs that the kubelet's state file
records for its container, against the effective cpuset of its cgroup (cut by what is online). It fails where they differ:
`medium` where the cgroup has CPUs beyond the recorded ones, `low` where it has a part of them. A container without exclusive
CPUs is compared with the shared pool (`defaultCpuSet`), and fails with `low` where its cgroup has CPUs that the file gives to
somebody else. Where kubectl's list does not say which container of the pod it is, either is right.

Not applicable to a process outside a pod, without a state file, or under the policy `none`.

## Why it matters

The scheduler, the next admission and the operator all believe the file. A container that was promised 16 CPUs of one NUMA node
and floats over the host has neither the locality nor the exclusiveness, and other pods' CPUs are not theirs either. It comes
from a container that was made before the kubelet's restart, a runtime that rejects or forgets the update, or another agent that
writes cpusets (a tuning daemon, systemd on `daemon-reload`).

## Evidence

`/var/lib/kubelet/cpu_manager_state`, `/proc/PID/cgroup`, `cpuset.cpus.effective` of the container's group,
`kubectl get pods -A -o json` for the container's name. Unknown where the cpuset is not known. Entries of deleted pods stay in
the file, and are not judged: they have no process.

## How to fix

Delete the pod, so that it is admitted anew. If it comes back: look at the kubelet's log for `UpdateContainerResources`, at the
cgroup driver (kubelet and runtime must agree), and for who else writes the group. After a change of policy drain the host and
remove the state file.

## How to verify

`cat /sys/fs/cgroup/GROUP/cpuset.cpus.effective` equals the entry in `cpu_manager_state`, also `cpuManagerReconcilePeriod` later.

## False positives

A moment between admission and the first reconciliation (10 s by default).

## References

- https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.cgroups import Cgroup, Cgroups
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.pods import PodOfProcess, Pods
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA602", gate=Gate.PLACEMENT, category="kubernetes-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "The kubelet gave {who_inside} (pid {pid}) of pod {pod} CPUs {assigned} of its own, "
    "but its cgroup {group} has CPUs {has}: the allocation was recorded and is not in force."
)
MESSAGES = {
    "pool": "{who} (pid {pid}) of pod {pod} belongs into the shared pool, CPUs {assigned}, "
    "but its cgroup {group} has CPUs {has}, some of which the kubelet gave to others.",
}
FIX = "Delete pod {pod} so that it is admitted anew; if it comes back, find who else writes {group}."

STATIC = "static"


def check(
    processes: Processes, ranks: Ranks, pods: Pods, kubernetes: Kubernetes, cgroups: Cgroups, topology: Topology
) -> Iterator[Judgement]:
    state = kubernetes.cpu_manager
    for process in processes.all:
        pod, named = pods.by_pid.get(process.pid), name_of(process, ranks)
        if pod is None:
            continue
        if state is None or state.record.policy != STATIC:
            yield not_applicable(named.subject)
        else:
            yield _judge(named, pod, state.record.default_cpus, cgroups, topology)


def _judge(named: Naming, pod: PodOfProcess, pool: CpuSet | None, cgroups: Cgroups, topology: Topology) -> Judgement:
    group = next((group for group in cgroups.chain(named.process.pid) if group.effective_cpus), None)
    if group is None or group.path != pod.cgroup_path or not group.effective_cpus:
        gap = Gap("absent", f"root/sys/fs/cgroup{pod.cgroup_path}/cpuset.cpus.effective", "the container's cpuset is not known")
        return unknown(named.subject, gap, related=named.related)
    has = group.effective_cpus
    own = [_online(each.cpus, topology) for each in pod.assignments]
    shared = _online(pool, topology) if pool is not None and (pod.container is None or not own) else None
    if not own and shared is None:
        return not_applicable(named.subject)
    if has in own or (shared is not None and has <= shared):
        return ok(named.subject, related=(*named.related, f"pod:{pod.uid}"), evidence=(*pod.evidence, *group.evidence), cpus=has)
    return _failure(named, pod, own[0] if own else shared or CpuSet(), group)


def _online(cpus: CpuSet, topology: Topology) -> CpuSet:
    return cpus & topology.online if topology.online else cpus


def _failure(named: Naming, pod: PodOfProcess, assigned: CpuSet, group: Cgroup) -> Judgement:
    has = group.effective_cpus or CpuSet()
    return fail(
        named.subject,
        severity=None if pod.assignments and not has <= assigned else Severity.LOW,
        message=None if pod.assignments else "pool",
        related=(*named.related, f"pod:{pod.uid}", f"cgroup:{group.path}"),
        evidence=(*pod.evidence, *group.evidence),
        pod=pod.name,
        assigned=assigned,
        group=group.path,
        has=has,
        **named.details,
    )
