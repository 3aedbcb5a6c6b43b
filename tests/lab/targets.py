"""Target processes: how one is started, and what the kernel says of it by other means than numaaudit's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stand_ins import StandIn
from syscalls import PAGE_BYTES, numa_nodes_of_pages

HOLD_MEMORY = (sys.executable, "-S", str(Path(__file__).with_name("hold_memory.py")))
SLEEP = ("sleep", "infinity")
_CGROUPS = Path("/sys/fs/cgroup")
_SLEEPING_IN = ("34", "35", "230")  # pause(2), nanosleep(2), clock_nanosleep(2), as numbered on x86-64
_TELLING = ("State", "TracerPid", "Cpus_allowed_list", "Mems_allowed_list", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


class Cpuset(NamedTuple):
    """A cgroup (v2) and what it is given."""

    name: str
    cpus: str
    mems: str


class Target(NamedTuple):
    """One process to be: ``wrapper`` (numactl, taskset) starts ``program`` in ``cpuset`` with the GPUs' device files open."""

    name: str
    wrapper: tuple[str, ...]
    opens: tuple[StandIn, ...]
    environ: Mapping[str, str] = {}
    program: tuple[str, ...] = SLEEP
    cpuset: Cpuset | None = None
    in_driver_table: StandIn | None = None  # the GPU for which the driver's process table names it


class Running(NamedTuple):
    target: Target
    process: subprocess.Popen[str]
    said: dict[str, Any]  # by hold_memory.py


def start(target: Target) -> Running:
    """Started, and ready: what a target does with its memory is done."""
    devices = [os.open(f"/dev/nvidia{gpu.gpu_minor}", os.O_PATH) for gpu in target.opens]  # O_PATH: no driver answers there
    command = [*(_enter(target.cpuset) if target.cpuset else ()), *target.wrapper, *target.program]
    process = subprocess.Popen(
        command, env={**os.environ, **target.environ}, pass_fds=devices, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    for device in devices:
        os.close(device)
    assert process.stdout is not None
    said = {} if target.program == SLEEP else json.loads(process.stdout.readline())
    _wait_until_asleep(process)
    return Running(target, process, said)


def _enter(cpuset: Cpuset) -> Iterator[str]:
    """Make the cgroup; a command that enters it and runs what follows."""
    (_CGROUPS / "cgroup.subtree_control").write_text("+cpuset")
    folder = _CGROUPS / cpuset.name
    folder.mkdir()
    (folder / "cpuset.cpus").write_text(cpuset.cpus)
    (folder / "cpuset.mems").write_text(cpuset.mems)
    yield from ("sh", "-c", f'echo $$ >{folder}/cgroup.procs && exec "$@"', "sh")


def _wait_until_asleep(process: subprocess.Popen[str]) -> None:
    """Until it waits in the call that it never leaves, which is not before its last page is touched."""
    while Path(f"/proc/{process.pid}/syscall").read_text().split()[0] not in _SLEEPING_IN:
        if process.poll() is not None:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        time.sleep(0.05)


def observe(running: Running) -> dict[str, Any]:
    """JSON-able: masks by sched_getaffinity(2), pages by move_pages(2) and numastat, and the task's own counters."""
    pid = running.process.pid
    return {
        "pid": pid,
        "said": running.said,
        "affinity": {tid: sorted(os.sched_getaffinity(int(tid))) for tid in os.listdir(f"/proc/{pid}/task")},
        "numastat": subprocess.run(["numastat", "-p", str(pid)], check=True, capture_output=True, text=True).stdout,
        "pages_of_mapping": _pages_of_mapping(pid, running.said),
        "state": dict(_state(pid)),
    }


def _pages_of_mapping(pid: int, said: Mapping[str, int]) -> dict[str, int]:
    """NUMA node to number of pages, of the memory that hold_memory.py touched."""
    if not said:
        return {}
    numa_nodes = numa_nodes_of_pages(pid, range(said["start"], said["start"] + said["bytes"], PAGE_BYTES))
    return {str(numa_node): numa_nodes.count(numa_node) for numa_node in sorted(set(numa_nodes))}


def _state(pid: int) -> Iterator[tuple[str, str]]:
    """What would change if somebody stopped, traced, woke or moved the process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key in _TELLING:
            yield key, value.strip()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    yield "start_ticks", fields[19]
    yield "cpu_ticks", str(int(fields[11]) + int(fields[12]))
