"""# gpu-pod-without-own-cpus (NA603)

A pod with a GPU gets no CPUs of its own from the static CPU manager, and floats over NUMA nodes that are not its GPU's.

## What it checks

For each rank in a pod, on a host whose CPU manager's policy is `static`: whether the kubelet recorded exclusive CPUs for its
container. It fails where it did not, and the CPUs that the rank may use are not all on its GPU's NUMA node. `medium`; `low`
within one package. The sentence names what the pod lacks, as far as kubectl's list shows it: exclusive CPUs need the class
Guaranteed (requests equal limits for CPU and memory, in every container) and a whole number of CPUs.

Silent where the rank's CPUs are local all the same. Not applicable to a rank outside a pod, without the kubelet's state file, or
under the policy `none`, where no pod has CPUs of its own.

## Why it matters

The Topology Manager aligns what managers hand out: for a pod in the shared pool there are no CPUs to align with its GPU, and
`single-numa-node` admits it without a word. It then runs on what others left over, on both packages, under a quota if it has a
CPU limit, and moves whenever the pool changes.

## Evidence

The cgroup's path (its class: `burstable`, `besteffort`, or none for Guaranteed), `/var/lib/kubelet/cpu_manager_state`,
`kubectl get pods -A -o json`, `/proc/PID/status`. Unknown where the GPU's NUMA node or the mask is not known.

## How to fix

Give every container of the pod, sidecars too, limits equal to requests for CPU and memory, and the GPU container a whole number
of CPUs; set `topologyManagerPolicy: single-numa-node` (or `restricted`) and `memoryManagerPolicy: Static`.

## How to verify

`kubectl get pod NAME -o jsonpath={.status.qosClass}` prints Guaranteed, and `cpu_manager_state` has an entry for its UID.

## False positives

A pod that was put into the shared pool on purpose, because its work is on the GPU only.

## References

- https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
- https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/
- https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.locality import Home, home_of
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.pods import PodOfProcess, Pods
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("NA603", gate=Gate.PLACEMENT, category="kubernetes-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) of pod {pod} (QoS {qos}) has no CPUs of its own under the static CPU manager{reason}: "
    "it may run on CPUs {cpus} of NUMA nodes {numa_nodes}, but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
)
FIX = "Make pod {pod} Guaranteed with a whole number of CPUs: limits equal to requests for CPU and memory in every container."

STATIC, GUARANTEED = "static", "Guaranteed"


def check(ranks: Ranks, pods: Pods, kubernetes: Kubernetes, topology: Topology) -> Iterator[Judgement]:
    state = kubernetes.cpu_manager
    is_static = state is not None and state.record.policy == STATIC
    for rank in ranks.all:
        pod = pods.by_pid.get(rank.process.pid)
        yield _judge(rank, pod, topology) if pod and is_static else not_applicable(rank.subject)


def _judge(rank: Rank, pod: PodOfProcess, topology: Topology) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    home, cpus = home_of(rank, topology), rank.process.effective_cpus
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    if pod.assignments or cpus <= home.cpus:
        return ok(rank.subject, related=(*rank.related, f"pod:{pod.uid}"), evidence=pod.evidence, cpus=cpus)
    return _failure(rank, pod, cpus, home, topology)


def _failure(rank: Rank, pod: PodOfProcess, cpus: CpuSet, home: Home, topology: Topology) -> Judgement:
    return fail(
        rank.subject,
        severity=Severity.LOW if topology.same_package(cpus, home.cpus) else None,
        related=(*rank.related, f"pod:{pod.uid}", f"cgroup:{pod.cgroup_path}"),
        evidence=(*pod.evidence, *rank.process.evidence, *home.evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        pod=pod.name,
        qos=pod.qos,
        reason=_reason(pod),
        cpus=cpus,
        numa_nodes=topology.numa_nodes_of(cpus),
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
    )


def _reason(pod: PodOfProcess) -> str:
    """What keeps it from exclusive CPUs, as far as kubectl's list shows it."""
    if pod.qos == GUARANTEED:
        return ", for its CPU limit is no whole number" if pod.container and pod.container.whole_cpus is None else ""
    for container in pod.pod.containers if pod.pod else ():
        for resource in ("cpu", "memory"):
            limit = container.limits.get(resource)
            if limit is None or container.requests.get(resource, limit) != limit:
                return f", for container {container.name} has no {resource} limit equal to its request"
    return ""
