"""Pods by name, found without asking an API server: what the kubelet leaves on its host's disk, and a list that the user names.

The UID is what a process's cgroup path has (core/cgroup_ids.py). Which name has it is in
``/var/log/pods/<namespace>_<name>_<uid>/`` (``pkg/kubelet/kuberuntime/helpers.go``), in the last line of
``/var/lib/kubelet/pods/<uid>/etc-hosts`` (``pkg/kubelet/kubelet_pods.go``), and in ``kubectl get pods -A -o json``.
"""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Sequence, Set

from numaaudit.bundle.tree import Tree
from numaaudit.collect.closest import closest
from numaaudit.collect.pod_list import ListedPod
from numaaudit.core import cgroup_ids
from numaaudit.core.errors import CollectError, NothingSelectedError

_LOGS, _PODS = "root/var/log/pods", "root/var/lib/kubelet/pods"
_OF_HOST = "(host network)"  # in the first line of an etc-hosts that is the host's own


class PodName(NamedTuple):
    """A pod that has been on this host. ``namespace`` None: where its name was found does not tell."""

    uid: str
    namespace: Optional[str]
    name: str

    @property
    def digits(self) -> str:
        """The UID without separators, of which cgroup paths have others."""
        return _digits(self.uid)

    @property
    def title(self) -> str:
        return "%s/%s" % (self.namespace, self.name) if self.namespace else self.name


def pod_uids(cgroup: str) -> Set[str]:
    """The UIDs in the text of a ``/proc/PID/cgroup``, as digits only."""
    return set(map(_digits, cgroup_ids.pod_uids(cgroup)))


def find_pod(typed: str, tree: Tree, listed: Sequence[ListedPod], cgroups: Sequence[str]) -> List[PodName]:
    """The pods of this name (``NAME``, ``NAMESPACE/NAME`` or the UID) that have a process; several only where one follows another.

    CollectError where the name is that of pods in several namespaces, NothingSelectedError with the closest names where it is none's.
    """
    alive = {uid for cgroup in cgroups for uid in pod_uids(cgroup)}
    known = list(_known(tree, listed, alive))
    wanted = [pod for pod in known if _is(pod, typed)]
    found = [pod for pod in wanted if pod.digits in alive]
    titles = sorted({pod.title for pod in found})
    if len(titles) > 1:
        raise CollectError("several pods are called %s: %s" % (typed, ", ".join(titles)), "name it with its namespace, or by its UID")
    if wanted and not found:
        raise NothingSelectedError("no process of this host is in pod %s (%s)" % (typed, wanted[0].uid), _hint(typed, known, alive))
    if not found:
        raise NothingSelectedError("no pod of this host is called %s" % typed, _hint(typed, known, alive))
    return found


def _known(tree: Tree, listed: Sequence[ListedPod], alive: Set[str]) -> Iterator[PodName]:
    """Every pod once, those known by their namespace first."""
    seen: Set[str] = set()
    named = [PodName(pod.uid, pod.namespace, pod.name) for pod in listed]
    nameless = [PodName(uid, None, uid) for uid in sorted(alive)]
    for pod in [*named, *_of_logs(tree), *_of_hosts_files(tree), *nameless]:
        if pod.digits not in seen:
            seen.add(pod.digits)
            yield pod


def _of_logs(tree: Tree) -> Iterator[PodName]:
    """No part of such a directory's name has a ``_`` of its own."""
    for parts in (folder.split("_") for folder in tree.names(_LOGS)):
        if len(parts) == 3:
            yield PodName(parts[2], parts[0], parts[1])


def _of_hosts_files(tree: Tree) -> Iterator[PodName]:
    """``10.0.0.7<tab>name``, with a subdomain ``10.0.0.7<tab>name.subdomain...<tab>name``."""
    for uid in tree.names(_PODS):
        lines = [line for line in (tree.text("%s/%s/etc-hosts" % (_PODS, uid)) or "").splitlines() if line.strip()]
        words = lines[-1].split() if lines and _OF_HOST not in lines[0] else []
        if len(words) > 1:
            yield PodName(uid, None, words[-1])


def _is(pod: PodName, typed: str) -> bool:
    namespace, slash, name = typed.rpartition("/")
    return _digits(typed) == pod.digits or (pod.name == name and (not slash or pod.namespace in (namespace, None)))


def _digits(uid: str) -> str:
    return uid.replace("-", "").replace("_", "")


def _hint(typed: str, known: Sequence[PodName], alive: Set[str]) -> str:
    titles = sorted({pod.title for pod in known if pod.digits in alive})
    if not titles:
        return "no process of this host is in a pod"
    names = ", ".join(closest(typed, titles, str))
    return "closest: %s; names come from /var/log/pods, /var/lib/kubelet/pods and --kubectl-pods" % names
