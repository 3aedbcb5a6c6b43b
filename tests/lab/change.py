"""The same two ranks before a change, after it, as a control, and taken back: with a restart and without one. Runs inside the guest."""

from __future__ import annotations

import os
from collections.abc import Callable

from shapes import TWO_PACKAGES_5_3
from targets import Running, Target, start_all, steps
from workloads import gpus_on, rank, taskset, touch

CHANGED_SHAPE = TWO_PACKAGES_5_3
_NEAR, _FAR = "0-7", "8-15"
_STARTS = {"baseline": (_NEAR, _NEAR), "local": (_NEAR, _FAR), "remote": (_FAR, _NEAR), "rollback": (_NEAR, _NEAR)}
_MIB_TOUCHED = 96


def run_changes(collect: Callable[[str, list[int]], object]) -> None:
    """``collect`` gets the name of each state and the PIDs of the ranks. Rank 0's GPU is on NUMA node 0, rank 1's on node 1."""
    for name, cpus in _STARTS.items():
        running = start_all(_targets(cpus))
        collect(name, [each.process.pid for each in running])
        if name == "local":
            for each in running:
                os.sched_setaffinity(each.process.pid, range(8))
            collect("not-restarted", [each.process.pid for each in running])
        _end(running)


def _targets(cpus: tuple[str, str]) -> tuple[Target, ...]:
    gpus = (gpus_on(CHANGED_SHAPE, 0)[0], gpus_on(CHANGED_SHAPE, 1)[0])
    program = steps(touch(_MIB_TOUCHED))
    return tuple(Target(f"rank-{number}", taskset(cpus[number]), (gpus[number],), rank(number), program) for number in (0, 1))


def _end(running: list[Running]) -> None:
    for each in running:
        each.process.kill()
        each.process.wait()
