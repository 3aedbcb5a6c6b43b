"""Asking the kernel where single pages of a process are: move_pages(2) without target nodes moves nothing.

The system call is made by number, as libnuma need not be there. What it answers (``mm/migrate.c``, ``do_pages_stat``): the NUMA
node of a page that is mapped, also for any address inside a huge page; -ENOENT where none is, which includes swapped pages; -EFAULT
for the zero page and for what is not mapped at all, up to Linux 6.11 also for anonymous memory never touched. It takes the
mmap_lock for reading, for 16 pages at a time.
"""

from __future__ import annotations

import errno
import os
from typing import Callable, List, Sequence

Ask = Callable[[int, Sequence[int]], List[int]]

# arch/*/entry/syscalls/*.tbl and include/uapi/asm-generic/unistd.h
_NUMBERS = {"x86_64": 279, "ppc64le": 301, "ppc64": 301, "s390x": 310, "aarch64": 239, "riscv64": 239, "loongarch64": 239}


def move_pages(pid: int, addresses: Sequence[int]) -> List[int]:
    """The NUMA node of the page at each address, or a negative errno.

    OSError: EPERM without the right to read the process, or under a seccomp filter; ESRCH; ENOSYS where the kernel, the
    architecture or this Python cannot ask.
    """
    try:
        import ctypes  # takes time at start-up, and some builds of Python lack it
    except ImportError:
        raise OSError(errno.ENOSYS, "this Python has no ctypes") from None
    machine = os.uname().machine
    number = _NUMBERS.get(machine)
    if number is None:
        raise OSError(errno.ENOSYS, "the number of move_pages(2) is not known for %s" % machine)
    pages = (ctypes.c_void_p * len(addresses))(*addresses)
    status = (ctypes.c_int * len(addresses))()
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    if syscall(ctypes.c_long(number), ctypes.c_int(pid), ctypes.c_ulong(len(addresses)), pages, None, status, ctypes.c_int(0)):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return list(status)
