"""Runs inside the guest: starts the workload, runs numaaudit, and writes down what the kernel says of it all.

scenario.py SHAPE RESULTS       leaves observed.json, bundle.tar.gz and the bundles of further_runs.py in the folder RESULTS
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import interrupts
from forks import load_numaaudit, numaaudit
from further_runs import FURTHER_RUNS
from shapes import shape_named
from stand_ins import end_when_asked, install, report_apps
from targets import Running, observe_all, start_all
from workloads import Setting, workload

PCI_DEVICES = Path("/sys/bus/pci/devices")


def main(shape_name: str, results: str) -> None:
    shape = shape_named(shape_name)
    load_numaaudit()
    install(shape)
    work = workload(shape)
    apply(work.first)
    running = start_all(work.targets)
    apply(work.last)
    report_apps({each.process.pid: each.target.in_driver_table for each in running if each.target.in_driver_table})
    traffic = interrupts.start(shape)

    targets = observe_all(running)
    doom(running)
    collect = numaaudit(results, "collect", "-o", f"{results}/bundle.tar.gz", *selection(running))
    after = observe_all([each for each in running if not each.target.ends_while_collected])
    vectors = interrupts.observe(shape)
    further = FURTHER_RUNS[shape](results, running)
    interrupts.stop(traffic)
    observed = {"targets": targets, "collect": collect, "after": after, "vectors": vectors, "further": further, "host": observe_host()}
    Path(results, "observed.json").write_text(json.dumps(observed, indent=1))


def apply(settings: Iterable[Setting]) -> None:
    for setting in settings:
        Path(setting.path).write_text(setting.text)


def doom(running: Iterable[Running]) -> None:
    """They end, and are no zombies, when the GPU tool is asked: after the first reading of processes and before the second."""
    for each in running:
        if each.target.ends_while_collected:
            end_when_asked(each.process.pid)
            threading.Thread(target=each.process.wait, daemon=True).start()


def selection(running: Iterable[Running]) -> Iterator[str]:
    """Those with a GPU, as by default, and the others by name."""
    yield "--gpu-procs"
    for each in running:
        if not each.target.opens:
            yield from ("--pid", str(each.process.pid))


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
