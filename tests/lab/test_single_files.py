"""The collector as one file, portable or for a shell: what it brings home is what the installed one does."""

from __future__ import annotations

import re
from typing import Any

from runs import Json, Run, numaaudit

COUNTED = ("counters", "free_bytes", "total", "busiest_cpu", "last_cpu", "cpu_ticks", "cpu_ticks_delta")
OTHERS = re.compile("/proc/|^samples/")


def lasting(value: Any) -> Any:
    """A model without what counts on between two collections."""
    if isinstance(value, dict):
        return {name: lasting(each) for name, each in value.items() if name not in (*COUNTED, "collected_at")}
    return [lasting(each) for each in value] if isinstance(value, list) else value


def of_processes(model: Json, pids: set[int]) -> Json:
    """Of the model only these processes, and no gap."""
    return {**model, "processes": [process for process in model["processes"] if process["pid"] in pids], "gaps": []}


def gaps(model: Json) -> set[tuple[str, str, str]]:
    """Without those of processes, which were not chosen alike, and of samples, which a shell cannot take."""
    return {(gap["kind"], gap["path"], gap["reason"]) for gap in model["gaps"] if not OTHERS.search(gap["path"])}


def assert_alike(run: Run, name: str) -> None:
    theirs, ours = run.model, run.model_of(name)
    pids = {process["pid"] for process in ours["processes"]}
    assert lasting(of_processes(ours, pids)) == lasting(of_processes(theirs, pids))
    assert gaps(ours) == gaps(theirs)
    verify = numaaudit("verify", str(run.results / f"{name}.tar.gz"))
    assert verify.returncode == 0, verify.stdout + verify.stderr


def test_the_portable_file_knows_what_the_installed_collector_knows(eight_numa_nodes: Run) -> None:
    assert_alike(eight_numa_nodes, "portable")
    assert len(eight_numa_nodes.model_of("portable")["processes"]) == len(eight_numa_nodes.targets) - 1  # one has ended


def test_the_script_knows_what_the_installed_collector_knows(interleaved: Run) -> None:
    assert_alike(interleaved, "script")
    assert len(interleaved.model_of("script")["processes"]) == 2
    assert [gap["kind"] for gap in interleaved.model_of("script")["gaps"] if gap["path"] == "samples/*"] == ["not-run"]


def test_run_by_busybox_it_knows_the_same_of_processes(eight_numa_nodes: Run) -> None:
    """Of processes, which come first: what takes the shell itself more than ten seconds is cut, and this CPU is slow."""
    ours = eight_numa_nodes.model_of("script")["processes"]
    theirs = {process["pid"]: process for process in eight_numa_nodes.model["processes"]}
    of_files = [name for name in ours[0] if name not in ("gpus", "gpu_source", "rank", "local_rank", "launcher")]
    assert len(ours) == 2
    assert [[lasting(each[name]) for name in of_files] for each in ours] == [
        [lasting(theirs[each["pid"]][name]) for name in of_files] for each in ours
    ]
