"""A target process: touches memory, may then change its mind about where it runs, says what it did as JSON, and sleeps.

hold_memory.py MIB                        touch and sleep
hold_memory.py MIB --then NUMA_NODE CPU…  start a second thread, then move only the main thread and its policy there
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import sys
import threading

from syscalls import PAGE_BYTES, bind_memory, memory_policy


def main(mib: str, *then: str) -> None:
    size = int(mib) << 20
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for offset in range(0, size, PAGE_BYTES):
        memory[offset] = 1
    policies: dict[int, str] = {}
    if then:
        thread = _start_thread(policies)
        os.sched_setaffinity(0, {int(cpu) for cpu in then[2:]})
        bind_memory([int(then[1])])
        assert thread.is_alive()
    policies[os.getpid()] = memory_policy()
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    print(json.dumps({"start": start, "bytes": size, "policies": policies}), flush=True)
    signal.pause()


def _start_thread(policies: dict[int, str]) -> threading.Thread:
    """A thread that keeps the mask and the policy it was born with."""
    ready = threading.Event()

    def run() -> None:
        policies[threading.get_native_id()] = memory_policy()
        ready.set()
        threading.Event().wait()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    return thread


if __name__ == "__main__":
    main(*sys.argv[1:])
