"""Memory policy and page placement, asked of the kernel itself: set_mempolicy(2), get_mempolicy(2), move_pages(2); and prctl(2). x86-64."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence

from shapes import cpulist

PAGE_BYTES = 4096
_MOVE_PAGES, _SET_MEMPOLICY, _GET_MEMPOLICY, _PRCTL = 279, 238, 239, 157
_PR_SET_DUMPABLE = 4
_MODES = ("default", "prefer", "bind", "interleave", "local", "prefer (many)")
_DEFAULT, _BIND = _MODES.index("default"), _MODES.index("bind")
_MAX_NUMA_NODES = 1024
_LIBC = ctypes.CDLL(None, use_errno=True)


def bind_memory(numa_nodes: Iterable[int]) -> None:
    """MPOL_BIND for the calling thread."""
    mask = ctypes.c_ulong(sum(1 << numa_node for numa_node in numa_nodes))
    _call(_SET_MEMPOLICY, _BIND, ctypes.byref(mask), ctypes.c_ulong(64))


def reset_memory_policy() -> None:
    """MPOL_DEFAULT for the calling thread."""
    _call(_SET_MEMPOLICY, _DEFAULT, None, ctypes.c_ulong(0))


def memory_policy() -> str:
    """The calling thread's policy, written as numa_maps does: ``default``, ``bind:1``."""
    mode, mask = ctypes.c_int(), (ctypes.c_ulong * (_MAX_NUMA_NODES // 64))()
    _call(_GET_MEMPOLICY, ctypes.byref(mode), mask, ctypes.c_ulong(_MAX_NUMA_NODES), None, ctypes.c_ulong(0))
    numa_nodes = [number for number in range(64) if mask[0] >> number & 1]
    return f"{_MODES[mode.value]}:{cpulist(numa_nodes)}" if numa_nodes else _MODES[mode.value]


def numa_nodes_of_pages(pid: int, addresses: Sequence[int]) -> list[int]:
    """The NUMA node of each page of a process; negative is the errno, such as -2 (ENOENT) for a page never touched."""
    pages = (ctypes.c_void_p * len(addresses))(*addresses)
    status = (ctypes.c_int * len(addresses))()
    _call(_MOVE_PAGES, ctypes.c_int(pid), ctypes.c_ulong(len(addresses)), pages, None, status, ctypes.c_int(0))
    return list(status)


def stay_dumpable() -> None:
    """Undo what a change of user does to /proc/self: its files would belong to root until the next exec(2)."""
    _call(_PRCTL, ctypes.c_int(_PR_SET_DUMPABLE), ctypes.c_ulong(1))


def _call(number: int, *arguments: object) -> None:
    if _LIBC.syscall(ctypes.c_long(number), *arguments) == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
