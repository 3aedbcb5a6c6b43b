"""The layers that stand between the CPUs that were asked for and those that a process has.

From the top: its systemd unit (systemd.exec(5), systemd.resource-control(5)), every cpuset above it (cpuset(7),
Documentation/admin-guide/cgroup-v2.rst), what the kubelet or Slurm gave it, CPUs that are offline, and its own mask. Control
groups cut a mask; a unit's CPUAffinity= and srun's mask are where a process starts, and the kubelet's file says what should be: one
that the process has left behind holds it no longer, and takes nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.asked import cpus_of_environ
from numaaudit.model.evidence import Evidence, cite, cite_entry
from numaaudit.model.sections.cgroups import Cgroups, ancestors
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.pods import Pods
from numaaudit.model.sections.processes import Process
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.systemctl_show import SystemctlShow


class Layer(NamedTuple):
    """What a layer lets through of all CPUs, and which of the wanted it is the first to take. ``owner`` None: nobody, or not known."""

    name: str
    owner: str | None
    cpus: CpuSet
    taken: CpuSet
    evidence: tuple[Evidence, ...]


class Around(NamedTuple):
    """Where the layers of a process are told."""

    topology: Topology
    cgroups: Cgroups
    units: tuple[Found[SystemctlShow], ...]
    kubernetes: Kubernetes
    pods: Pods


def layers_of(process: Process, wanted: CpuSet, around: Around) -> tuple[Layer, ...]:
    """Every layer that is known, the process's own mask last; nobody but the kernel is to blame for CPUs that are offline."""
    cpus, left, online = process.effective_cpus or CpuSet(), wanted, around.topology.online or wanted
    layers = []
    for layer in (*_units(process, around), *_groups(process, around), *_kubelet(process, around), *_task(process, wanted)):
        taken = (left & online) - layer.cpus if cpus <= layer.cpus else CpuSet()
        left -= taken
        layers.append(layer._replace(taken=taken))
    if around.topology.online:
        layers.append(Layer("online CPUs", None, around.topology.online, left - around.topology.online, ()))
    layers.append(Layer("its own mask", None, cpus, (left & online) - cpus, process.evidence))
    return tuple(layers)


def _layer(name: str, owner: str | None, cpus: CpuSet, *evidence: Evidence) -> Layer:
    return Layer(name, owner, cpus, CpuSet(), evidence)


def _units(process: Process, around: Around) -> Iterator[Layer]:
    """Its slices first, then its service or scope."""
    for path in reversed(ancestors(around.cgroups.unit_path_of_pid.get(process.pid, ""))):
        for found in around.units:
            unit = found.record
            if unit.control_group != path:
                continue
            if unit.allowed_cpus:
                yield _layer(f"AllowedCPUs= of {unit.name}", "systemd", unit.allowed_cpus, cite(found.file, "AllowedCPUs="))
            if unit.cpu_affinity:
                yield _layer(f"CPUAffinity= of {unit.name}", "systemd", unit.cpu_affinity, cite(found.file, "CPUAffinity="))


def _groups(process: Process, around: Around) -> Iterator[Layer]:
    """From the root of the control groups down."""
    for group in reversed(around.cgroups.chain(process.pid)):
        if group.effective_cpus:
            yield _layer(f"cgroup {group.path}", group.owner, group.effective_cpus, *group.evidence)


def _kubelet(process: Process, around: Around) -> Iterator[Layer]:
    """What the CPU manager's state file gives its container; the shared pool as well where that may be what it has."""
    pod, state = around.pods.by_pid.get(process.pid), around.kubernetes.cpu_manager
    if pod is None or state is None:
        return
    cpus = CpuSet(cpu for each in pod.assignments for cpu in each.cpus)
    if pod.container is None or not cpus:
        cpus |= state.record.default_cpus or CpuSet()
    if cpus:
        yield _layer(f"CPUs of pod {pod.name}", "kubelet", cpus, cite(state.file, pod.uid, "defaultCpuSet"))


def _task(process: Process, wanted: CpuSet) -> Iterator[Layer]:
    """The mask that srun chose for the task, unless that is what was asked for."""
    cpus, environ = cpus_of_environ(process.variables), process.environ
    if cpus and cpus != wanted and not isinstance(environ, Gap):
        yield _layer("srun's mask of the task", "Slurm", cpus, cite_entry(environ.file, "SLURM_CPU_BIND_LIST"))
