"""A process to be looked at: ``held_process.py THREADS MAPPINGS [MIB]``. Prints a line when it is ready and ends with its input.

Its mappings beyond Python's own are pages of one allocation with alternating protection, which the kernel cannot merge. With
MIB it also holds so many MiB of small pages; every ``start`` line makes it map and unmap a page in a loop until ``stop``, when it
prints the longest time one of them took, in milliseconds.
"""

import ctypes
import mmap
import resource
import select
import sys
import threading
import time
from pathlib import Path

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def main() -> None:
    threads, mappings, mib = (*map(int, sys.argv[1:]), 0)[:3]
    threading.stack_size(1 << 18)
    for _ in range(threads - 1):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    held = [_alternating(mappings - len(Path("/proc/self/maps").read_text().splitlines())), _small_pages(mib)]
    print("ready", len(held), flush=True)
    for line in sys.stdin:
        if line.strip() == "start":
            print(f"{_longest_mapping_ms():.3f}", flush=True)


def _alternating(mappings: int) -> mmap.mmap | None:
    if mappings < 2:
        return None
    area = mmap.mmap(-1, mappings * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area[::PAGE] = b"x" * mappings
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for page in range(1, mappings, 2):
        if _libc.mprotect(start + page * PAGE, PAGE, mmap.PROT_READ):
            raise OSError(ctypes.get_errno(), "mprotect")
    return area


def _small_pages(mib: int) -> mmap.mmap | None:
    if not mib:
        return None
    area = mmap.mmap(-1, mib << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(mmap.MADV_NOHUGEPAGE)
    for start in range(0, mib << 20, 64 << 20):
        area[start : start + (64 << 20) : PAGE] = b"x" * (min(64 << 20, (mib << 20) - start) // PAGE)
    return area


def _longest_mapping_ms() -> float:
    """Until the next line of input. Rounds in which the scheduler took the CPU away say nothing about locks and are left out."""
    longest = 0.0
    switches = _involuntary_switches()
    while not select.select([sys.stdin], [], [], 0)[0]:
        began = time.perf_counter()
        mmap.mmap(-1, PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        took, before, switches = time.perf_counter() - began, switches, _involuntary_switches()
        if switches == before:
            longest = max(longest, took)
    sys.stdin.readline()
    return longest * 1000


def _involuntary_switches() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


if __name__ == "__main__":
    main()
