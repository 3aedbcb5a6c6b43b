"""Snapshots of small hosts, and small changes to them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from numaaudit.compare.diff import Comparison, compare
from numaaudit.compare.from_host import snapshot_of
from numaaudit.compare.snapshot import Pages, Snapshot
from numaaudit.model.host import Host
from numaaudit.rules.engine import audit

Entries = dict[str, Any]
BOOT = "root/proc/sys/kernel/random/boot_id"
GIB_PAGES = 1 << 18


class Changes:
    """One host as it may be at several times."""

    def __init__(self, entries: Entries) -> None:
        self.entries = {**entries, BOOT: "5d1c7e0a-2f64-4b0e-9a58-c3f1d20b7e46\n"}

    def __or__(self, changed: Entries) -> "Changes":
        return self._with({**self.entries, **changed})

    def without(self, *parts: str) -> "Changes":
        """Without the paths that have one of these parts."""
        return self._with({path: entry for path, entry in self.entries.items() if not any(part in path for part in parts)})

    def masked(self, pid: int, cpus: str) -> "Changes":
        """With another mask of every thread of a process."""
        changed = {}
        for path, text in self.entries.items():
            if re.fullmatch(rf"root/proc/{pid}/(?:task/\d+/)?status", path):
                without_mask = re.sub(r"Cpus_allowed:\t.*\n", "", text)
                changed[path] = re.sub(r"Cpus_allowed_list:\t.*", f"Cpus_allowed_list:\t{cpus}", without_mask)
        return self | changed

    def paged(self, pid: int, *gib: int) -> "Changes":
        """With that much anonymous memory on NUMA nodes 0, 1 and so on."""
        counts = " ".join(f"N{number}={amount * GIB_PAGES}" for number, amount in enumerate(gib) if amount)
        line = f"7f0000000000 default anon={sum(gib) * GIB_PAGES} {counts} kernelpagesize_kB=4\n"
        return self | {f"root/proc/{pid}/numa_maps": f"00400000 default file=/usr/bin/python3 mapped=5 N0=5 kernelpagesize_kB=4\n{line}"}

    def restarted(self, start_ticks: int = 90_000, pids: int = 700) -> "Changes":
        """With other processes in the same roles: other PIDs, start times and counters."""
        made = {}
        for path, entry in self.entries.items():
            moved = re.sub(r"/proc/(\d+)/", lambda match: f"/proc/{int(match[1]) + pids}/", path)
            moved = re.sub(r"/task/(\d+)/", lambda match: f"/task/{int(match[1]) + pids}/", moved)
            made[moved] = _restarted(moved, entry, start_ticks, pids)
        return self._with(made)

    def _with(self, entries: Entries) -> "Changes":
        made = Changes(entries)
        made.entries = entries
        return made


def _restarted(path: str, entry: Any, start_ticks: int, pids: int) -> Any:
    if path.endswith("/stat"):
        number, rest = entry.split(" ", 1)
        fields = rest.split(" ")
        fields[12], fields[20] = str(int(fields[12]) + 77), str(start_ticks)
        return " ".join([str(int(number) + pids), *fields])
    if path.endswith("/status"):
        return re.sub(r"^((?:Tgid|Pid|NSpid):\t)(\d+)$", lambda match: f"{match[1]}{int(match[2]) + pids}", entry, flags=re.M)
    if "compute-apps" in path:
        return re.sub(r", (10\d),", lambda match: f", {int(match[1]) + pids},", entry)
    return entry


@pytest.fixture
def same(root) -> Changes:
    """The host of 2p-2n-2g: rank 0 (PID 100) and rank 1 (PID 101), each at home."""
    return Changes(root("2p-2n-2g"))


@pytest.fixture
def snapshot(build) -> Callable[[Changes], Snapshot]:
    def make(changes: Changes) -> Snapshot:
        host: Host = build(changes.entries)
        return snapshot_of(host, audit(host), "bundle")

    return make


@pytest.fixture
def compared(snapshot) -> Callable[..., Comparison]:
    """The comparison of two or three states of a host."""
    return lambda *states: compare(tuple(map(snapshot, states)))


@pytest.fixture
def rows() -> Callable[[Comparison], set[tuple[Any, ...]]]:
    """(subject, aspect, *values, state) of what differs."""
    return lambda made: {(row.subject, row.aspect, *map(hashable, row.values), row.state) for row in made.rows}


def hashable(value: Any) -> Any:
    return tuple(sorted(value.bytes_by_node.items())) if isinstance(value, Pages) else value
