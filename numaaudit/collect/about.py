"""What the manifest says of the host, and of the collector's own place and rights on it."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime, timezone
from typing import Any, Dict, Optional

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.slurm import step_of
from numaaudit.core.procfs import is_id, parse_status

_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")


def now() -> str:
    """The time in UTC, ISO 8601."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def host_id(tree: Tree) -> str:
    """The same for each bundle of one installation, without being the id itself, which machine-id(5) asks to keep secret.

    A keyed hash of /etc/machine-id; empty if the host has none.
    """
    machine = tree.text("root/etc/machine-id") or tree.text("root/var/lib/dbus/machine-id")
    return hashlib.sha256(b"numaaudit.host-id:" + machine.encode()).hexdigest()[:32] if machine else ""


def hostname(tree: Tree) -> str:
    return tree.text("root/proc/sys/kernel/hostname") or ""


def boot_id(tree: Tree) -> str:
    return tree.text("root/proc/sys/kernel/random/boot_id") or ""


def collector(tree: Tree) -> Dict[str, Any]:
    """Who collects: rights, masks, cgroup, namespaces, job step; null where the root is not this host's, or /proc does not tell."""
    step = step_of(os.environ)
    status = parse_status(tree.text("root/proc/self/status") or "")
    return {
        "uid": os.geteuid(),
        "capabilities": status.get("CapEff"),
        "allowed_cpus": status.get("Cpus_allowed_list"),
        "allowed_mems": status.get("Mems_allowed_list"),
        "seccomp": int(status["Seccomp"]) if is_id(status.get("Seccomp", "")) else None,
        "cgroup": tree.text("root/proc/self/cgroup"),
        "namespaces": {name: _namespace(tree, name) for name in _NAMESPACES},
        "slurm": step._asdict() if step else None,
    }


def _namespace(tree: Tree, name: str) -> Optional[str]:
    self_pid = tree.link("root/proc/self")
    target = self_pid if isinstance(self_pid, Gap) else tree.link("root/proc/%s/ns/%s" % (self_pid, name))
    return None if isinstance(target, Gap) else target
