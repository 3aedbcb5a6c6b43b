"""Runs inside the guest TWO_PACKAGES_5_3: starts the targets, runs numaaudit, and writes down what the kernel says of it all.

The argument is the folder for the results: ``observed.json`` and the bundle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from shapes import TWO_PACKAGES_5_3
from stand_ins import TOOL_FOLDER, StandIn, install, report_apps, stand_ins
from targets import HOLD_MEMORY, Target, make_cpuset, observe, start

GPUS = stand_ins(TWO_PACKAGES_5_3)
ON_NUMA_NODE_0 = [gpu for gpu in GPUS if gpu.numa_node == 0]
ON_NUMA_NODE_1 = [gpu for gpu in GPUS if gpu.numa_node == 1]
WITHOUT_NUMA_NODE = next(gpu for gpu in GPUS if gpu.numa_node is None)
MIB = "32"

CLIPPED = "clipped"  # a cgroup


def rank(number: int, **more: str) -> dict[str, str]:
    return {"RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": "7", "LOCAL_WORLD_SIZE": "7", **more}


def visible(gpu: StandIn) -> dict[str, str]:
    return {"CUDA_VISIBLE_DEVICES": gpu.gpu_uuid}


TARGETS = (
    Target("local", ("taskset", "-c", "0-3"), (ON_NUMA_NODE_0[0],), rank(0)),
    Target("remote", ("taskset", "-c", "8-15"), (ON_NUMA_NODE_0[1],), rank(1)),
    # CUDA opens every device it can see and more; the environment then says which one is used.
    Target(
        "bound",
        ("numactl", "--cpunodebind=1", "--membind=1"),
        tuple(GPUS),
        rank(2, **visible(ON_NUMA_NODE_1[0])),
        (*HOLD_MEMORY, MIB),
    ),
    Target(
        "moved",
        ("taskset", "-c", "0-7"),
        (ON_NUMA_NODE_1[1],),
        rank(3),
        (*HOLD_MEMORY, MIB, "--then", "1", *map(str, range(8, 16))),
    ),
    # taskset asks for CPUs 0-3, the cpuset has only two of them.
    Target("clipped", ("taskset", "-c", "0-3"), (ON_NUMA_NODE_0[2],), rank(4), cgroup=CLIPPED),
    Target("unplaced", ("taskset", "-c", "0-3"), (WITHOUT_NUMA_NODE,), rank(5)),
    # Only the driver's process table, by its PID, says which of all open devices it uses.
    Target("in-driver-table", ("taskset", "-c", "8-15"), tuple(GPUS), rank(6)),
)
IN_DRIVER_TABLE = ON_NUMA_NODE_1[2]


def main(results: str) -> None:
    install(TWO_PACKAGES_5_3)
    make_cpuset(CLIPPED, cpus="1,3,5,7", mems="0")
    running = {target.name: start(target) for target in TARGETS}
    report_apps({running["in-driver-table"].process.pid: IN_DRIVER_TABLE})

    before = {name: observe(process) for name, process in running.items()}
    runs = {
        "collect": numaaudit("collect", "-o", f"{results}/bundle.tar.gz"),
        "after": {name: observe(process) for name, process in running.items()},
        "check": numaaudit("check", "--format", "json", "--all"),
    }
    observed = {"targets": before, **runs, "host": observe_host()}
    Path(results, "observed.json").write_text(json.dumps(observed, indent=1))
    for process in running.values():
        process.process.kill()


def numaaudit(*arguments: str) -> dict[str, Any]:
    began = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-m", "numaaudit", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{TOOL_FOLDER}:{os.environ['PATH']}", "TMPDIR": "/dev/shm"},
    )
    return {"exit_code": run.returncode, "stdout": run.stdout, "stderr": run.stderr, "seconds": time.monotonic() - began}


def observe_host() -> dict[str, Any]:
    devices = {
        folder.name: {name: (folder / name).read_text().strip() for name in ("numa_node", "local_cpulist")} for folder in PCI.iterdir()
    }
    return {
        "pci": devices,
        "hardware": output("numactl", "--hardware"),
        "show": output("numactl", "--cpunodebind=1", "--membind=1", "numactl", "--show"),
        "cpus": output("lscpu", "-p=CPU,NODE,SOCKET,CORE"),
    }


PCI = Path("/sys/bus/pci/devices")


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1])
