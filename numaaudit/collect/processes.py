"""Which processes there are, and what they run. psutil is used where it is installed and the root is this host's.

Both ways give equal answers (a test compares them). ``describe`` reads ``cmdline``, which takes the process's mmap_lock, so it
belongs into a child (collect/reader.py).
"""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tree import read_at
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import is_id, parse_stat

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY


class Process(NamedTuple):
    """``command`` is the command line with blanks between its words; empty for kernel threads and zombies."""

    pid: int
    ppid: int
    name: str
    command: str


def list_pids(root: str) -> List[int]:
    """The PIDs of a host, ascending."""
    psutil = _psutil(root)
    if psutil:
        return sorted(psutil.pids())
    try:
        return sorted(int(name) for name in os.listdir(os.path.join(root, "proc")) if is_id(name))
    except OSError:
        return []


def describe(root: str, pid: int) -> Optional[Process]:
    """One process; None if there is none, or if it is hidden (mount option hidepid)."""
    psutil = _psutil(root)
    return by_psutil(psutil, pid) if psutil else by_proc(root, pid)


def by_psutil(psutil: Any, pid: int) -> Optional[Process]:
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            try:
                words = process.cmdline()
            except psutil.ZombieProcess:
                words = []
            return Process(pid, process.ppid(), _text(process.name()), _text(" ".join(words)).strip())
    except psutil.Error:
        return None


def by_proc(root: str, pid: int) -> Optional[Process]:
    try:
        folder = os.open(os.path.join(root, "proc", str(pid)), _OPEN)
        try:
            stat = parse_stat(read_at("stat", folder, LIMITS.line_bytes).decode("utf-8", "backslashreplace"))
            words = read_at("cmdline", folder, LIMITS.member_bytes).rstrip(b"\0").split(b"\0")
        finally:
            os.close(folder)
    except (OSError, ParseError):
        return None
    command = b" ".join(words).decode("utf-8", "backslashreplace").strip()
    return Process(pid, stat.ppid, _full_name(stat.comm, words[0].decode("utf-8", "backslashreplace")), command)


def _full_name(comm: str, program: str) -> str:
    """The kernel keeps 15 bytes of a name; the program's own name goes on from there."""
    name = program.rpartition("/")[2]
    return name if len(comm) >= 15 and name.startswith(comm) else comm


def _text(decoded: str) -> str:
    """psutil decodes with surrogateescape; here undecodable bytes are shown."""
    return decoded.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _psutil(root: str) -> Any:
    if root != "/":
        return None
    try:
        import psutil
    except ImportError:
        return None
    return psutil
