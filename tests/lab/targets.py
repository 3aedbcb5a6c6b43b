"""Target processes: how they are started, and what the kernel says of them by other means than numaaudit's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cpusets import Cpuset, enter
from stand_ins import StandIn
from syscalls import PAGE_BYTES, numa_nodes_of_pages

SLEEP = ("sleep", "infinity")
_SLEEPING_IN = ("34", "35", "230")  # pause(2), nanosleep(2), clock_nanosleep(2), as numbered on x86-64
_TELLING = ("State", "TracerPid", "Cpus_allowed_list", "Mems_allowed_list", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
_TELLING_OF_BUSY = ("TracerPid", "Cpus_allowed_list", "Mems_allowed_list")


def steps(*words: str) -> tuple[str, ...]:
    """A program that does them."""
    return (sys.executable, "-S", str(Path(__file__).with_name("do_steps.py")), *words)


class Target(NamedTuple):
    """One process to be: ``wrapper`` (numactl, taskset) starts ``program`` in ``cpuset`` with the GPUs' device files open."""

    name: str
    wrapper: tuple[str, ...]
    opens: tuple[StandIn, ...] = ()
    environ: Mapping[str, str] = {}
    program: tuple[str, ...] = SLEEP
    cpuset: Cpuset | None = None
    in_driver_table: StandIn | None = None  # the GPU for which the driver's process table names it
    log: str = ""  # a file that the wrapper writes
    ends_while_collected: bool = False

    @property
    def is_busy(self) -> bool:
        return "busy" in self.program


class Running(NamedTuple):
    target: Target
    process: subprocess.Popen[str]
    said: dict[str, Any]  # by do_steps.py


def start_all(targets: Sequence[Target]) -> list[Running]:
    """Started side by side, and ready: what a target does with its memory is done."""
    return [_ready(target, process) for target, process in [(target, _start(target)) for target in targets]]


def _start(target: Target) -> subprocess.Popen[str]:
    devices = [os.open(f"/dev/nvidia{gpu.gpu_minor}", os.O_PATH) for gpu in target.opens]  # O_PATH: no driver answers there
    command = [*(enter(target.cpuset) if target.cpuset else ()), *target.wrapper, *target.program]
    process = subprocess.Popen(
        command, env={**os.environ, **target.environ}, pass_fds=devices, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    for device in devices:
        os.close(device)
    return process


def _ready(target: Target, process: subprocess.Popen[str]) -> Running:
    assert process.stdout is not None
    said = {} if target.program == SLEEP else json.loads(process.stdout.readline())
    _wait_until_asleep(process)
    return Running(target, process, said)


def _wait_until_asleep(process: subprocess.Popen[str]) -> None:
    """Until it waits in the call that it never leaves, which is not before its last page is touched."""
    while Path(f"/proc/{process.pid}/syscall").read_text().split()[0] not in _SLEEPING_IN:
        if process.poll() is not None:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        time.sleep(0.05)


def observe_all(running: Sequence[Running]) -> dict[str, Any]:
    """JSON-able, by name: masks by sched_getaffinity(2), pages by move_pages(2) and numastat, and the task's own counters."""
    numastat = _numastat([each.process.pid for each in running])
    return {each.target.name: {**_observe(each), "numastat": numastat[each.process.pid]} for each in running}


def _observe(running: Running) -> dict[str, Any]:
    pid = running.process.pid
    return {
        "pid": pid,
        "said": running.said,
        "affinity": {tid: sorted(os.sched_getaffinity(int(tid))) for tid in os.listdir(f"/proc/{pid}/task")},
        "pages_of_mappings": [_pages(pid, *mapping) for mapping in running.said.get("mappings", ())],
        "state": dict(_state(running)),
    }


def _numastat(pids: Sequence[int]) -> dict[int, list[float]]:
    """PID to MiB on each NUMA node, from numastat(8): a row for each process, in as many tables as the NUMA nodes need, total last."""
    printed = subprocess.run(["numastat", "-p", *map(str, pids)], check=True, capture_output=True, text=True).stdout
    numbers: dict[int, list[float]] = {pid: [] for pid in pids}
    for row in re.finditer(r"^ *(\d+) \(.*\) +([\d. ]+)$", printed, re.M):
        numbers[int(row[1])] += map(float, row[2].split())
    return {pid: each[:-1] for pid, each in numbers.items()}


def _pages(pid: int, start: int, size: int) -> dict[str, int]:
    """NUMA node to number of pages, of memory that do_steps.py touched."""
    numa_nodes = numa_nodes_of_pages(pid, range(start, start + size, PAGE_BYTES))
    return {str(numa_node): numa_nodes.count(numa_node) for numa_node in sorted(set(numa_nodes))}


def _state(running: Running) -> Iterator[tuple[str, str]]:
    """What would change if somebody stopped, traced, woke or moved the process."""
    folder, is_busy = Path(f"/proc/{running.process.pid}"), running.target.is_busy
    for line in (folder / "status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key in (_TELLING_OF_BUSY if is_busy else _TELLING):
            yield key, value.strip()
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    yield "start_ticks", fields[19]
    if not is_busy:
        yield "cpu_ticks", str(int(fields[11]) + int(fields[12]))
