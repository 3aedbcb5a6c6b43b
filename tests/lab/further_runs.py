"""What numaaudit does on each of the lab's hosts besides the collection that all have. Runs inside the guest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from change import run_changes
from forks import NOBODY, PATIENCE, numaaudit
from guest import PORTABLE, SHELL_SCRIPT
from shapes import EIGHT_NUMA_NODES, INTERLEAVED_WITH_MEMORY_ONLY, TWO_PACKAGES_5_3, HostShape
from stand_ins import DRIVER, TOOL_FOLDER, stand_ins
from targets import Running

Ends = dict[str, Any]  # how each command ended, by a name of ours

WATCHED_S = 3
SCRIPTED = ("refused", "without-local-memory", "rank-1", "huge-at-home")  # two of a host tell as much as all
_LONGER = 4
_APPLETS = TOOL_FOLDER / "applets"


def _on_two_packages(results: str, running: Sequence[Running]) -> Ends:
    busy = _pids([each for each in running if each.target.is_busy])
    watch = ("--duration", f"{WATCHED_S}s", "--every", "1s", "--mark", "baseline")
    ends = {"check": numaaudit(results, "check", "--format", "json", "--all"), "watch": _collect(results, "watch", *busy, *watch)}
    for each in running:
        each.process.kill()
    run_changes(lambda name, pids: _collect(results, name, *_options(pids)))
    return ends


def _on_interleaved(results: str, running: Sequence[Running]) -> Ends:
    refused, large = ([each for each in running if each.target.name == name] for name in ("refused", "large"))
    interleaved = [each for each in running if each.target.name in ("staging", "streaming", "even-cpus")]
    return {
        "coherent": _with_coherent_gpu_memory(results, interleaved),
        "refused": _collect(results, "refused", *_pids(refused), "--log", refused[0].target.log),
        "full": _collect(results, "full", *_pids(large), "--pages", "full"),
        "script": _by_script(results, "dash", [each for each in running if each.target.name in SCRIPTED]),
    }


def _with_coherent_gpu_memory(results: str, running: Sequence[Running]) -> dict[str, Any]:
    """As if the memory-only NUMA node were a GPU's, which the driver then says in this file."""
    status = DRIVER / "gpus" / stand_ins(INTERLEAVED_WITH_MEMORY_ONLY)[0].pci_address / "numa_status"
    status.write_text("Node: 2\nStatus: online\n")
    try:
        return _collect(results, "coherent", *_pids(running))
    finally:
        status.unlink()


def _on_eight_numa_nodes(results: str, running: Sequence[Running]) -> Ends:
    """As a user who may see into one of the ranks only; and all that is left by the portable file."""
    folder = Path(results, "unprivileged")
    folder.mkdir()
    folder.chmod(0o777)
    left = _pids([each for each in running if not each.target.ends_while_collected])
    return {
        "unprivileged": _collect(results, "unprivileged/bundle", *left, user=NOBODY),
        "portable": _run([sys.executable, "-I", "-S", str(PORTABLE)], results, "portable", *left),
        "script": _by_script(results, "busybox sh", [each for each in running if each.target.name in SCRIPTED]),
    }


def _by_script(results: str, shell: str, running: Sequence[Running]) -> dict[str, Any]:
    """With BusyBox in front of PATH: it has all that the script needs. Its second is longer, where the shell has no sleep of its own:
    under emulation programs start slowly."""
    _APPLETS.mkdir()
    subprocess.run(["busybox", "--install", "-s", str(_APPLETS)], check=True)
    sleep = _APPLETS / "sleep"
    sleep.unlink()
    sleep.write_text(f"#!/bin/sh\nexec /bin/sleep $(($1 * {_LONGER}))\n")
    sleep.chmod(0o755)
    return _run([*shell.split(), str(SHELL_SCRIPT)], results, "script", *_pids(running))


def _run(collector: list[str], results: str, name: str, *arguments: str) -> dict[str, Any]:
    """A collector that is a program of its own; all numa_maps, as the installed one reads those of small processes."""
    began = time.monotonic()
    environ = {**os.environ, "PATH": f"{_APPLETS}:{TOOL_FOLDER}:{os.defpath}", "TMPDIR": str(TOOL_FOLDER)}
    command = [*collector, "-o", f"{results}/{name}.tar.gz", "--pages", "full", *PATIENCE, *arguments]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env=environ)
    assert run.returncode == 0, run.stderr
    return {"exit_code": run.returncode, "stdout": run.stdout, "stderr": run.stderr, "seconds": round(time.monotonic() - began, 1)}


def _collect(results: str, name: str, *arguments: str, user: int = 0) -> dict[str, Any]:
    ended = numaaudit(results, "collect", "-o", f"{results}/{name}.tar.gz", *arguments, user=user)
    assert ended["exit_code"] == 0, ended["stderr"]
    return ended


def _pids(running: Sequence[Running]) -> list[str]:
    return _options([each.process.pid for each in running])


def _options(pids: Sequence[int]) -> list[str]:
    return [word for pid in pids for word in ("--pid", str(pid))]


FURTHER_RUNS: dict[HostShape, Callable[[str, Sequence[Running]], Ends]] = {
    TWO_PACKAGES_5_3: _on_two_packages,
    INTERLEAVED_WITH_MEMORY_ONLY: _on_interleaved,
    EIGHT_NUMA_NODES: _on_eight_numa_nodes,
}
