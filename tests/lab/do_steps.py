"""A target process: does the steps it is told in their order, says as JSON what came of them, and sleeps.

do_steps.py STEP...

touch=MIB  private memory, all of it touched
thp=MIB    the same, for which the kernel is asked for transparent huge pages (madvise(2))
huge=MIB   the same from the pool of huge pages (MAP_HUGETLB)
cpus=LIST  the main thread alone moves there
bind=N     the main thread alone has MPOL_BIND from now on
unbind     it has the default policy again; pages stay where they are
idle       a thread is born that does nothing
busy       a thread is born that works a little, again and again
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from syscalls import bind_memory, memory_policy, reset_memory_policy

_MADV_POPULATE_WRITE, _MAP_HUGETLB = 23, 0x40000  # asm-generic/mman-common.h; mmap has no name for them in Python
_SPELL_S, _PAUSE_S = 0.01, 0.3


class Steps:
    """What was done so far."""

    def __init__(self) -> None:
        self.memory: list[mmap.mmap] = []
        self.policies: dict[int, str] = {}

    def touch(self, mib: str) -> None:
        self._map(mib, 0, None)

    def thp(self, mib: str) -> None:
        self._map(mib, 0, mmap.MADV_HUGEPAGE)

    def huge(self, mib: str) -> None:
        self._map(mib, _MAP_HUGETLB, None)

    def _map(self, mib: str, flags: int, advice: int | None) -> None:
        memory = mmap.mmap(-1, int(mib) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | flags)
        if advice is not None:
            memory.madvise(advice)
        memory.madvise(_MADV_POPULATE_WRITE)  # touches each page as a write would
        self.memory.append(memory)

    def cpus(self, cpus: str) -> None:
        os.sched_setaffinity(0, ids(cpus))

    def bind(self, numa_node: str) -> None:
        bind_memory([int(numa_node)])

    def unbind(self) -> None:
        reset_memory_policy()

    def idle(self) -> None:
        self._start_thread(threading.Event().wait)

    def busy(self) -> None:
        self._start_thread(work)

    def _start_thread(self, life: Callable[[], object]) -> None:
        """It keeps the mask and the policy that it was born with."""
        ready = threading.Event()

        def run() -> None:
            self.policies[threading.get_native_id()] = memory_policy()
            ready.set()
            life()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()


def work() -> None:
    while True:
        until = time.thread_time() + _SPELL_S
        while time.thread_time() < until:
            pass
        time.sleep(_PAUSE_S)


def ids(text: str) -> set[int]:
    """``4-7,9`` as a set."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for end in ends for number in range(end[0], end[-1] + 1)}


def anon_huge_kib() -> int:
    """How much of its memory is in transparent huge pages."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages:"))


def main(*words: str) -> None:
    steps = Steps()
    for word in words:
        name, _, argument = word.partition("=")
        getattr(steps, name)(*([argument] if argument else []))
    steps.policies[os.getpid()] = memory_policy()
    mappings = [(ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory)) for memory in steps.memory]
    print(json.dumps({"mappings": mappings, "policies": steps.policies, "anon_huge_kib": anon_huge_kib()}), flush=True)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
