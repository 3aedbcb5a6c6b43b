"""What numaaudit does on each of the lab's hosts besides the collection that all have. Runs inside the guest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from change import run_changes
from forks import NOBODY, numaaudit
from shapes import EIGHT_NUMA_NODES, INTERLEAVED_WITH_MEMORY_ONLY, TWO_PACKAGES_5_3, HostShape
from targets import Running

Ends = dict[str, Any]  # how each command ended, by a name of ours


def _on_two_packages(results: str, running: Sequence[Running]) -> Ends:
    live = numaaudit(results, "check", "--format", "json", "--all")
    run_changes(lambda name, pids: _collect(results, name, *_pids(pids)))
    return {"check": live}


def _on_interleaved(results: str, running: Sequence[Running]) -> Ends:
    (refused,) = (each for each in running if each.target.log)
    return {"refused": _collect(results, "refused", *_pids([refused.process.pid]), "--log", refused.target.log)}


def _on_eight_numa_nodes(results: str, running: Sequence[Running]) -> Ends:
    """As a user who may see into one of the ranks only."""
    folder = Path(results, "unprivileged")
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    pids = [each.process.pid for each in running if not each.target.ends_while_collected]
    return {"unprivileged": _collect(results, "unprivileged/bundle", *_pids(pids), user=NOBODY)}


def _collect(results: str, name: str, *arguments: str, user: int = 0) -> dict[str, Any]:
    ended = numaaudit(results, "collect", "-o", f"{results}/{name}.tar.gz", *arguments, user=user)
    assert ended["exit_code"] == 0, ended["stderr"]
    return ended


def _pids(pids: Sequence[int]) -> list[str]:
    return [word for pid in pids for word in ("--pid", str(pid))]


FURTHER_RUNS: dict[HostShape, Callable[[str, Sequence[Running]], Ends]] = {
    TWO_PACKAGES_5_3: _on_two_packages,
    INTERLEAVED_WITH_MEMORY_ONLY: _on_interleaved,
    EIGHT_NUMA_NODES: _on_eight_numa_nodes,
}
