"""One ``/proc/PID``, opened once and read relative to its descriptor.

The opened directory stays with the process it was opened for: after its end reads fail with ESRCH, even where the PID is in use
again.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import Dict, List, Optional

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.storage import printable
from numaaudit.bundle.tree import gap_of, natural, read_at
from numaaudit.collect.collector import Read
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import is_id, parse_stat

_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
_HEAD_BYTES = 64
_REFUSED = "needs the process's own user, or CAP_SYS_PTRACE; run: sudo numaaudit collect --pid %d"
_REFUSED_TO_ROOT = "refused even to root: the process is of another user namespace, or protected (ptrace(2), access mode checking)"
# "5573e3e46000 bind=static:0,2 file=..."; the words are those of mpol_to_str() in the kernel's mm/mempolicy.c
_POLICY = re.compile(
    rb"[0-9a-f]{1,16} (?:default|local|prefer \(many\)|prefer|bind|weighted interleave|interleave|unknown)"
    rb"(?:=[a-z|]+)?(?::[0-9,-]+)?(?=[ \n])"
)


class ProcFolder:
    """``path`` is below the host's root, without ``/`` (proc/7). Names of files are relative to it: ``stat``, ``task/7/stat``."""

    def __init__(self, path: str, fd: int, pid: int) -> None:
        self.path = path
        self.pid = pid
        self._fd = fd

    @classmethod
    def open(cls, root: str, pid: int) -> ProcFolder:
        """OSError if there is no such process, or if it is hidden (mount option hidepid)."""
        path = "proc/%d" % pid
        return cls(path, os.open(os.path.join(root, path), _FOLDER), pid)

    def __enter__(self) -> ProcFolder:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)

    def file(self, collector: str, name: str) -> Read:
        """The whole of a file."""
        began = time.perf_counter()
        path = "%s/%s" % (self.path, name)
        try:
            data = read_at(name, self._fd, LIMITS.member_bytes)
        except OSError as error:
            return self.failed(collector, path, error)
        return Read(collector, path, "ok", data, None, "", (time.perf_counter() - began) * 1000)

    def policy(self, collector: str, name: str) -> Read:
        """Address and policy of the first mapping of a numa_maps: the task's policy. Empty where nothing is mapped."""
        began = time.perf_counter()
        path = "%s/%s" % (self.path, name)
        try:
            line = _policy_line(name, self._fd)
        except OSError as error:
            return self.failed(collector, path, error)
        if line is None:
            return Read(collector, path, "cut", reason="no policy that is known in its first bytes")
        return Read(collector, path, "ok", line, None, "", (time.perf_counter() - began) * 1000)

    def failed(self, collector: str, path: str, error: OSError) -> Read:
        """What an error means for a path of this process."""
        gap = gap_of(error, path)
        refused = _REFUSED % self.pid if os.geteuid() else _REFUSED_TO_ROOT
        return Read(collector, path, gap.kind, reason=refused if gap.kind == "refused" else gap.reason)

    def targets(self, name: str) -> Dict[str, str]:
        """Name to target of the links in a directory such as ``fd``; those closed meanwhile are left out. OSError."""
        fd = os.open(name, _FOLDER, dir_fd=self._fd)
        found = {}
        try:
            for link in sorted(os.listdir(fd), key=natural):
                with suppress(OSError):
                    found[link] = printable(os.readlink(link, dir_fd=fd))
        finally:
            os.close(fd)
        return found

    def thread_ids(self) -> List[str]:
        """The names in ``task``, ascending by number; none once the process has ended."""
        try:
            fd = os.open("task", _FOLDER, dir_fd=self._fd)
        except OSError:
            return []
        try:
            return sorted((name for name in os.listdir(fd) if is_id(name)), key=int)
        except OSError:
            return []
        finally:
            os.close(fd)

    def start_ticks(self) -> Optional[int]:
        """With the PID and the boot id, the identity of a process; None once it has ended."""
        try:
            return parse_stat(read_at("stat", self._fd, LIMITS.line_bytes).decode("utf-8", "backslashreplace")).start_ticks
        except (OSError, ParseError):
            return None


def policy_of(maps: bytes) -> bytes:
    """The first line of numa_maps without what comes after the policy; empty if it has none that is known."""
    policy = _POLICY.match(maps)
    return policy[0] + b"\n" if policy else b""


def _policy_line(name: str, folder: int) -> Optional[bytes]:
    """64 bytes make the kernel format, and walk, one mapping only; the rest of a longer line then comes from its buffer."""
    fd = os.open(name, _FILE, dir_fd=folder)
    try:
        head = os.read(fd, _HEAD_BYTES)
        line = policy_of(head)
        if not line and b"\n" not in head and len(head) == _HEAD_BYTES:
            line = policy_of(head + os.read(fd, _HEAD_BYTES))
    finally:
        os.close(fd)
    return None if head and not line else line
