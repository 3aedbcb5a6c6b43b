"""Containers and pods by what runtimes and the kubelet write into the cgroup paths of their processes.

``docker-<id>.scope``, ``cri-containerd-<id>.scope``, ``crio-<id>.scope``, ``libpod-<id>.scope`` with systemd as cgroup driver,
else a directory ``<id>`` below ``docker/``, ``pod<uid>/`` or the containerd namespace. An id is 64 hexadecimal digits. The monitors
of CRI-O and Podman (``crio-conmon-<id>``) are no part of a container. The UID of a pod has ``_`` for ``-`` where systemd is the driver
(kubernetes ``pkg/kubelet/cm/cgroup_manager_linux.go``).
"""

from __future__ import annotations

import re
from typing import List

_CONTAINER = re.compile(r"(?<!conmon)[/:-]([0-9a-f]{64})(?=\.scope|/|\s|$)")
_POD = re.compile(r"[/-]pod([0-9a-f]{8}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{12})(?![0-9a-f])")


def container_ids(cgroup: str) -> List[str]:
    """The ids in a cgroup path, or in the text of a ``/proc/PID/cgroup``, once each; the last is the innermost container's."""
    return list(dict.fromkeys(_CONTAINER.findall(cgroup)))


def pod_uids(cgroup: str) -> List[str]:
    """The UIDs of pods in it as they are written there, once each; the last is the innermost pod's."""
    return list(dict.fromkeys(_POD.findall(cgroup)))
