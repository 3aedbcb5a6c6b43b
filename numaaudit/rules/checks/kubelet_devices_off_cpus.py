"""# kubelet-devices-off-cpus (NA606)

The kubelet gave a container CPUs of one NUMA node and devices of another.

## What it checks

For each container with exclusive CPUs in the kubelet's state: the NUMA nodes of these CPUs against those that the device
plugin named for its devices, from the kubelet's checkpoint; where there is no state, the same from the kubelet's own answer.
It fails where a resource has devices with a NUMA node and none of them is one of the CPUs'. `medium`; `low` within one
package. Where they meet, and some of the CPUs are of a NUMA node that no device of the container has, it is a note (`info`):
the process may still bind itself to the others. Not applicable to a container without devices or without CPUs of its own.

## Why it matters

Admission already decided: whatever the launcher does inside, the container has no CPU near its GPU. The Topology Manager's
policies `none` and `best-effort` admit such pods, and a restart of a container before the device plugin registered again can
lose the hint.

## Evidence

`/var/lib/kubelet/cpu_manager_state`, `/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint`. Both record assignments;
entries of deleted pods stay until the next admission. Or what the kubelet answers (PodResourcesLister,
`samples/pod-resources.json`). Unknown where the CPUs' NUMA nodes are not known, and where the plugin names none for the devices:
the Topology Manager then had nothing to align, which is the plugin's version or the host's `numa_node` of -1.

## How to fix

Set `topologyManagerPolicy: single-numa-node` or `restricted` (with `topologyManagerScope: pod` for sidecars) and delete the pod, so
that it is admitted anew, or rejected with `TopologyAffinityError` where nothing fits.

## How to verify

Both files name one NUMA node for the pod's UID; in the container, `cat /sys/fs/cgroup/cpuset.cpus.effective`.

## False positives

A device whose place does not matter to the workload (a shared memory device, a low-rate NIC). A container that asks for more
CPUs than one NUMA node has: its CPUs are of several whatever the policy.

## References

- https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/
- https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import File, Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpu_manager_state import CpuAssignment
from numaaudit.parse.parsers.kubelet_checkpoint import DeviceAssignment
from numaaudit.parse.parsers.pod_resources import PodResources
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA606", gate=Gate.PLACEMENT, category="kubernetes-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "The kubelet gave container {container} of pod {pod} CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "but its {resource} devices hang on NUMA nodes {device_numa_nodes}."
)
MESSAGES = {
    "straddling": "The kubelet gave container {container} of pod {pod} CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "of which its devices hang on NUMA node {device_numa_nodes} only."
}
FIX = "Set topologyManagerPolicy to single-numa-node or restricted, and delete pod {pod} so that it is admitted anew."


def check(kubernetes: Kubernetes, answers: tuple[Found[PodResources], ...], topology: Topology) -> Iterator[Judgement]:
    state, checkpoint = kubernetes.cpu_manager, kubernetes.devices
    cpus = state.record.assignments if state else ()
    devices = checkpoint.record.devices if checkpoint else ()
    files = [found.file for found in (state, checkpoint) if found]
    if not state and answers:
        cpus, devices = _of_answer(answers[0].record)
        files = [answers[0].file]
    for each in cpus:
        own = [device for device in devices if (device.pod_uid, device.container) == (each.pod_uid, each.container)]
        yield _judge(each, own, files, topology)


def _of_answer(answer: PodResources) -> tuple[tuple[CpuAssignment, ...], tuple[DeviceAssignment, ...]]:
    """The same as the state files have, with namespace and name in place of the UID."""
    cpus = tuple(CpuAssignment(each.pod, each.container, each.cpus) for each in answer.containers if each.cpus)
    devices = tuple(
        DeviceAssignment(each.pod, each.container, own.resource, tuple((number, own.ids) for number in own.numa_nodes or (None,)))
        for each in answer.containers
        for own in each.devices
    )
    return cpus, devices


def _judge(assignment: CpuAssignment, devices: list[DeviceAssignment], files: list[File], topology: Topology) -> Judgement:
    subject = f"pod:{assignment.pod_uid}" if assignment.pod_uid else f"cgroup:{assignment.container}"
    if topology.has_one_cpu_node() or not devices:
        return not_applicable(subject)
    numa_nodes = topology.numa_nodes_of(assignment.cpus)
    if not numa_nodes:
        return unknown(subject, Gap("absent", NUMA_NODES, "the NUMA nodes of its CPUs are not known"))
    apart = [device for device in devices if _numa_nodes(device) and _numa_nodes(device).isdisjoint(numa_nodes)]
    if apart:
        near = topology.same_package(assignment.cpus, topology.cpus_of(_numa_nodes(*apart)))
        return _failure(subject, assignment, files, numa_nodes, apart, severity=Severity.LOW if near else None)
    named = _numa_nodes(*devices)
    if not named:
        return unknown(subject, Gap("absent", files[-1].path, "the device plugin names no NUMA node for its devices"))
    if not numa_nodes <= named:
        return _failure(subject, assignment, files, numa_nodes, devices, severity=Severity.INFO, message="straddling")
    return ok(subject, evidence=_evidence(assignment, files), cpus=assignment.cpus, numa_nodes=numa_nodes)


def _failure(
    subject: str,
    assignment: CpuAssignment,
    files: list[File],
    numa_nodes: NodeSet,
    devices: list[DeviceAssignment],
    severity: Severity | None,
    message: str | None = None,
) -> Judgement:
    named = _numa_nodes(*devices)
    return fail(
        subject,
        severity=severity,
        message=message,
        related=tuple(f"numa_node:{number}" for number in numa_nodes | named),
        evidence=_evidence(assignment, files),
        container=assignment.container,
        pod=assignment.pod_uid,
        cpus=assignment.cpus,
        numa_nodes=numa_nodes,
        resource=devices[0].resource,
        device_numa_nodes=named,
    )


def _numa_nodes(*devices: DeviceAssignment) -> NodeSet:
    """Those that the plugin named; none where it named none."""
    return NodeSet(number for device in devices for number, ids in device.ids_by_node if number is not None and ids)


def _evidence(assignment: CpuAssignment, files: list[File]) -> tuple[Evidence, ...]:
    """The line of the pod: by its UID, or its name without the namespace."""
    return tuple(cite(file, (assignment.pod_uid or assignment.container).rpartition("/")[2]) for file in files)
