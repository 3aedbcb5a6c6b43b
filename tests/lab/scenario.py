"""Runs inside the guest: starts the workload, runs numaaudit, and writes down what the kernel says of it all.

scenario.py SHAPE RESULTS       leaves observed.json, bundle.tar.gz and those of change.py in the folder RESULTS
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from change import CHANGED_SHAPE, run_changes
from shapes import shape_named
from stand_ins import TOOL_FOLDER, install, report_apps
from targets import Running, observe, start
from workloads import workload

PCI_DEVICES = Path("/sys/bus/pci/devices")


def main(shape_name: str, results: str) -> None:
    shape = shape_named(shape_name)
    install(shape)
    running = [start(target) for target in workload(shape)]
    report_apps({each.process.pid: each.target.in_driver_table for each in running if each.target.in_driver_table})

    targets = observe_all(running)
    collect = numaaudit(results, "collect", "-o", f"{results}/bundle.tar.gz")
    after = observe_all(running)
    check = numaaudit(results, "check", "--format", "json", "--all")
    observed = {"targets": targets, "collect": collect, "after": after, "check": check, "host": observe_host()}
    Path(results, "observed.json").write_text(json.dumps(observed, indent=1))
    if shape == CHANGED_SHAPE:
        run_changes(lambda name, pids: collect_ranks(f"{results}/{name}.tar.gz", results, pids))


def collect_ranks(bundle: str, results: str, pids: list[int]) -> None:
    ended = numaaudit(results, "collect", "-o", bundle, *(word for pid in pids for word in ("--pid", str(pid))))
    assert ended["exit_code"] == 0, ended["stderr"]


def numaaudit(results: str, *arguments: str) -> dict[str, Any]:
    """TMPDIR is where the traceback of a crash would go."""
    began = time.monotonic()
    environ = {**os.environ, "PATH": f"{TOOL_FOLDER}:{os.environ['PATH']}", "TMPDIR": results}
    run = subprocess.run([sys.executable, "-m", "numaaudit", *arguments], check=False, capture_output=True, text=True, env=environ)
    return {"exit_code": run.returncode, "stdout": run.stdout, "stderr": run.stderr, "seconds": round(time.monotonic() - began, 1)}


def observe_all(running: list[Running]) -> dict[str, Any]:
    return {each.target.name: observe(each) for each in running}


def observe_host() -> dict[str, Any]:
    """Of PCI devices the two files of sysfs; of CPUs and memory what other tools print."""
    pci = {
        folder.name: {name: (folder / name).read_text().strip() for name in ("numa_node", "local_cpulist")}
        for folder in PCI_DEVICES.iterdir()
    }
    return {"pci": pci, "numactl": output("numactl", "--hardware"), "lscpu": output("lscpu", "-p=CPU,NODE,SOCKET,CORE")}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
