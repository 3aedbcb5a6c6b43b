"""Which pod and container each process belongs to, by its cgroup path, and what the kubelet and the API server say of it.

Paths: ``/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<uid>.slice/cri-containerd-<id>.scope`` (systemd driver) and
``/kubepods/burstable/pod<uid>/<id>`` (cgroupfs driver); no class in the path means Guaranteed (kubernetes
``pkg/kubelet/cm/cgroup_manager_linux.go``).
"""

import re
from typing import NamedTuple

from numaaudit.core.cgroup_ids import pod_uids
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.processes import Processes
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpu_manager_state import CpuAssignment
from numaaudit.parse.parsers.kubectl_pods import KubectlPods, Pod, PodContainer

_CLASSES = (("besteffort", "BestEffort"), ("burstable", "Burstable"))


class PodOfProcess(NamedTuple):
    """``qos`` by the cgroup path. ``pod`` and ``container`` None: kubectl's list is not in the evidence, or lacks them.

    ``assignments``: what the kubelet's state gives the container; all that it gives the pod where the container is not known.
    """

    uid: str
    cgroup_path: str
    qos: str
    pod: Pod | None
    container: PodContainer | None
    assignments: tuple[CpuAssignment, ...]
    evidence: tuple[Evidence, ...]  # the lines of kubectl's list and of the kubelet's state that name it

    @property
    def name(self) -> str:
        """``namespace/name`` where kubectl says it, else the UID."""
        return f"{self.pod.namespace or 'default'}/{self.pod.name}" if self.pod and self.pod.name else self.uid


class Pods(NamedTuple):
    """By PID, only processes of pods."""

    by_pid: dict[int, PodOfProcess]


def join(processes: Processes, kubernetes: Kubernetes, lists: tuple[Found[KubectlPods], ...]) -> Pods:
    """Look every process's pod up by UID."""
    found = {process.pid: _pod(process.cgroup_path, kubernetes, lists) for process in processes.all if process.cgroup_path}
    return Pods({pid: pod for pid, pod in found.items() if pod})


def _pod(path: str, kubernetes: Kubernetes, lists: tuple[Found[KubectlPods], ...]) -> PodOfProcess | None:
    uids = pod_uids(path)
    if not uids or "kubepods" not in path:
        return None
    uid = _dashed(uids[-1])
    pod, listed = next(((pod, found) for found in lists for pod in found.record.pods if pod.uid == uid), (None, None))
    container = _container(pod, path)
    state = kubernetes.cpu_manager
    assigned = tuple(each for each in (state.record.assignments if state else ()) if _is_for(each, uid, container))
    evidence = (*((cite(listed.file, uid),) if listed else ()), *((cite(state.file, uid, "policyName"),) if state else ()))
    return PodOfProcess(uid, path, _class(path), pod, container, assigned, evidence)


def _dashed(uid: str) -> str:
    digits = re.sub("[-_]", "", uid)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _class(path: str) -> str:
    return next((name for mark, name in _CLASSES if f"{mark}." in path or f"/{mark}/" in path), "Guaranteed")


def _container(pod: Pod | None, path: str) -> PodContainer | None:
    """By the id in the path, else the pod's only one."""
    containers = pod.containers if pod else ()
    return next(
        (each for each in containers if each.container_id and each.container_id in path), containers[0] if len(containers) == 1 else None
    )


def _is_for(assignment: CpuAssignment, uid: str, container: PodContainer | None) -> bool:
    return assignment.pod_uid == uid and (container is None or assignment.container == container.name)


JOINER = Joiner(join)
