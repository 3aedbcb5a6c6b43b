"""# kubelet-state-contradicts-host (NA609)

The CPU manager's state file gives CPUs twice, or does not fit the CPUs that the host has online.

## What it checks

`cpu_manager_state` under the policy `static`, where the kubelet divides all online CPUs into a shared pool and what containers
have alone. It fails with `medium`

- for a pod whose CPUs another pod has too, or which are in the shared pool as well: they are not exclusive; and
- where the file names CPUs that are not online; or, with `low`, where online ones are missing from it, other than
  `reservedSystemCPUs` and not under the option `strict-cpu-reservation`.

Containers of one pod may share CPUs: those of init containers are used again. Silent where all CPUs are there once, and under
another policy; unknown where the online CPUs are not known. Missing CPUs are not judged without the kubelet's configuration.

## Why it matters

A kubelet that restarts compares the file with the host and refuses to start where they differ. Until then it gives CPUs that are
not there, or two containers the same: what was paid for as exclusive is shared, and latencies vary with the neighbour.

## Evidence

`/var/lib/kubelet/cpu_manager_state` and `config.yaml`, `/sys/devices/system/cpu/online`.

## How to fix

Drain the host, stop the kubelet, remove `/var/lib/kubelet/cpu_manager_state`, and start it. After a change of SMT, of the firmware
or of a virtual machine's CPUs this is always needed; so it is after a change of the policy.

## How to verify

`defaultCpuSet` and all entries of the file, put together, are the list in `/sys/devices/system/cpu/online`, each CPU once.

## False positives

A file that was copied while the kubelet wrote it.

## References

- https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
- https://github.com/kubernetes/kubernetes/issues/110478
- https://github.com/kubernetes/kubernetes/issues/107906
- https://github.com/kubernetes/kubernetes/issues/124066
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import cite_line
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpu_manager_state import CpuManagerState
from numaaudit.parse.parsers.kubelet_config import KubeletConfig
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA609", gate=Gate.PLACEMENT, category="kubernetes-policy", severity=Severity.MEDIUM)
MESSAGE = "The kubelet's state gives pod {pod} CPUs {cpus} of its own, but {other} has them too."
MESSAGES = {
    "offline": "The kubelet's state names CPUs {cpus}, which are not online: the host has {online}.",
    "missing": "The host has CPUs {cpus}, which the kubelet's state neither gives to a container nor keeps in its shared pool.",
}
FIX = "Drain the host, remove /var/lib/kubelet/cpu_manager_state and restart the kubelet, so that it counts the CPUs anew."

_FILE = "file:/var/lib/kubelet/cpu_manager_state"
_POOL = "the shared pool"


def check(kubernetes: Kubernetes, topology: Topology) -> Iterator[Judgement]:
    state = kubernetes.cpu_manager
    if state is None or state.record.policy != "static":
        yield not_applicable(_FILE)
        return
    yield from _pods(state)
    yield _file(state, kubernetes.config.record if kubernetes.config else None, topology)


def _pods(state: Found[CpuManagerState]) -> Iterator[Judgement]:
    """Each owner of CPUs against the others and the pool."""
    owners: dict[str, CpuSet] = {}
    for each in state.record.assignments:
        owner = each.pod_uid or each.container
        owners[owner] = owners.get(owner, CpuSet()) | each.cpus
    pools = {_POOL: state.record.default_cpus or CpuSet()} | {f"pod {owner}": cpus for owner, cpus in owners.items()}
    for owner, cpus in owners.items():
        other = next((name for name, theirs in pools.items() if name != f"pod {owner}" and not theirs.isdisjoint(cpus)), None)
        if other is None:
            yield ok(f"pod:{owner}", cpus=cpus)
        else:
            yield fail(
                f"pod:{owner}",
                related=(_FILE, f"cpus:{cpus & pools[other]}"),
                evidence=(cite_line(state.file, 1),),
                pod=owner,
                cpus=cpus & pools[other],
                other=other,
            )


def _file(state: Found[CpuManagerState], config: KubeletConfig | None, topology: Topology) -> Judgement:
    if not topology.online:
        return unknown(_FILE, Gap("absent", "root/sys/devices/system/cpu/online", "which CPUs are online is not known"))
    known = CpuSet(cpu for each in state.record.assignments for cpu in each.cpus) | (state.record.default_cpus or CpuSet())
    offline, missing = known - topology.online, _missing(known, config, topology.online)
    if not offline and not missing:
        return ok(_FILE, cpus=known)
    return fail(
        _FILE,
        severity=None if offline else Severity.LOW,
        message="offline" if offline else "missing",
        evidence=(cite_line(state.file, 1),),
        canonical=_FILE,
        cpus=offline or missing,
        online=topology.online,
    )


def _missing(known: CpuSet, config: KubeletConfig | None, online: CpuSet) -> CpuSet:
    """Online CPUs that the file should name and does not; none where it is not known whether some are kept out of it."""
    if config is None or ("strict-cpu-reservation", "true") in config.cpu_manager_options:
        return CpuSet()
    return online - known - (config.reserved_system_cpus or CpuSet())
