"""The files of one process, read in a child (collect/reader.py) relative to its opened ``/proc/PID``.

The opened directory stays with the process it was opened for: after its end reads fail with ESRCH, even where the PID is in
use again. What cannot wait for a lock comes first, so that a process that hangs still gives its masks and threads.
"""

from __future__ import annotations

import os
import re
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Set, Tuple

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tree import braces, gap_of, natural, read_at
from numaaudit.collect.collector import Collector, of_scope
from numaaudit.collect.reader import Trying
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import parse_stat, parse_status
from numaaudit.core.units import GIB, parse_bytes

GUARD_BYTES = GIB
_HEAD_BYTES = 64
_RESIDENT = ("RssAnon", "RssShmem", "RssFile", "HugetlbPages")
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_GUARDED = "more than 1 GiB is resident, so only the policy was read; run: numaaudit collect --pid %d --pages full"
_NOT_WANTED = "only the policy was asked for (--pages none); run: numaaudit collect --pid %d --pages full"
_REFUSED = "needs the process's own user, or CAP_SYS_PTRACE; run: sudo numaaudit collect --pid %d"
_REFUSED_TO_ROOT = "refused even to root: the process is of another user namespace, or protected (ptrace(2), access mode checking)"


class Read(NamedTuple):
    """One attempt: ``data`` for a file, ``link`` for a symbolic link. Travels as a plain tuple."""

    collector: str
    path: str  # below the host's root: proc/1/status
    outcome: str = "ok"
    data: Optional[bytes] = None
    link: Optional[str] = None
    reason: str = ""
    duration_ms: float = 0.0


class _Wanted(NamedTuple):
    """One file name to read of a process or thread, and why."""

    collector: str
    name: str
    walks_pages: bool


class ProcessReader:
    """The work of reading processes: ``reader(pid)`` gives Reads. ``pages`` is guard, full or none (CollectOptions)."""

    def __init__(self, root: str, collectors: Mapping[str, Collector], pages: str) -> None:
        self.root = root
        self._pages = pages
        own, threads = of_scope(collectors, "process"), of_scope(collectors, "thread")
        self._links = {name: unit for name, unit in own.items() if unit.links}
        self._files = _wanted(own, locks_memory=False)
        self._locking = _wanted(own, locks_memory=True)
        self._thread_files = _wanted(threads, locks_memory=False)
        self._thread_locking = _wanted(threads, locks_memory=True)

    def after(self, pid: int, hung: str) -> List[str]:
        """The files that would have come after one that gave no answer."""
        paths = ["proc/%d/%s" % (pid, wanted.name) for wanted in self._locking]
        return paths[paths.index(hung) + 1 :] if hung in paths else []

    def __call__(self, pid: int) -> Iterator[Any]:
        where = "proc/%d" % pid
        try:
            folder = os.open(os.path.join(self.root, where), _OPEN | os.O_DIRECTORY)
        except OSError as error:
            yield Read("", where, gap_of(error, where).kind.replace("absent", "gone"), reason="no such process")
            return
        try:
            yield from self._read(pid, where, folder)
        finally:
            os.close(folder)

    def _read(self, pid: int, where: str, folder: int) -> Iterator[Any]:
        began = _start_ticks(folder)
        resident: Optional[int] = None
        for wanted in self._files:
            found = _read_file(wanted, where, folder, pid)
            resident = _resident_bytes(found.data) if wanted.name == "status" and found.data is not None else resident
            yield found
        yield from self._read_links(pid, where, folder)
        threads = _thread_ids(folder)
        yield from _read_threads(self._thread_files, threads, where, folder, _read_file)
        policy = b""
        for wanted in self._locking:
            yield Trying("%s/%s" % (where, wanted.name))
            found = self._read_locking(wanted, where, folder, pid, resident)
            policy = _policy_line(found.data) if wanted.walks_pages and found.data else policy
            yield found
        yield Trying(where + "/task/*/numa_maps")
        for found in _read_threads(self._thread_locking, threads, where, folder, _read_policy):
            if found.data != policy:
                yield found
        if began is None or _start_ticks(folder) != began:
            yield Read("", where, "gone", reason="the process ended while it was read")

    def _read_locking(self, wanted: _Wanted, where: str, folder: int, pid: int, resident: Optional[int]) -> Read:
        if not wanted.walks_pages or self._pages == "full":
            return _read_file(wanted, where, folder, pid)
        if self._pages == "guard" and resident is not None and resident <= GUARD_BYTES:
            return _read_file(wanted, where, folder, pid)
        head = _read_policy(wanted, where, folder, pid)
        reason = (_GUARDED if self._pages == "guard" else _NOT_WANTED) % pid
        return head._replace(outcome="cut", reason=reason) if head.data else head

    def _read_links(self, pid: int, where: str, folder: int) -> Iterator[Read]:
        targets: Dict[str, Dict[str, str]] = {}
        seen: Set[str] = set()
        for collector, unit in self._links.items():
            for pattern in unit.links:
                parent = pattern.rpartition("/")[0]
                try:
                    if parent not in targets:
                        targets[parent] = _targets(parent, folder)
                except OSError as error:
                    targets[parent] = {}
                    yield _failed(collector, "%s/%s" % (where, parent), error, pid)
                for name, target in targets[parent].items():
                    if unit.keep_target is None or unit.keep_target(target):
                        yield from _kept_link(collector, unit, where, folder, pid, "%s/%s" % (parent, name), target, seen)


def _kept_link(collector: str, unit: Collector, where: str, folder: int, pid: int, path: str, target: str, seen: Set[str]) -> Iterator[Read]:
    if path not in seen:
        seen.add(path)
        yield Read(collector, "%s/%s" % (where, path), link=target)
    for pattern in unit.files:
        yield _read_file(_Wanted(collector, pattern.replace("*", path.rpartition("/")[2]), False), where, folder, pid)


def _wanted(collectors: Mapping[str, Collector], locks_memory: bool) -> List[_Wanted]:
    return [
        _Wanted(name, plain, unit.walks_pages)
        for name, unit in collectors.items()
        if unit.locks_memory is locks_memory and not unit.links
        for pattern in unit.files
        for plain in braces(pattern)
    ]  # fmt: skip


def _read_threads(
    wanted: List[_Wanted], threads: List[str], where: str, folder: int, read: Callable[[_Wanted, str, int, int], Read]
) -> Iterator[Read]:
    """The same files of each thread. A thread that ends meanwhile is left out; one refusal is that of all (one mm)."""
    for tid in threads:
        task = "%s/task/%s" % (where, tid)
        try:
            thread = os.open("task/" + tid, _OPEN | os.O_DIRECTORY, dir_fd=folder)
        except OSError:
            continue
        try:
            for one in wanted:
                found = read(one, task, thread, int(tid))
                if found.outcome == "ok":
                    yield found
                elif found.outcome == "refused":
                    return
        finally:
            os.close(thread)


def _read_file(wanted: _Wanted, where: str, folder: int, pid: int) -> Read:
    began = time.perf_counter()
    path = "%s/%s" % (where, wanted.name)
    try:
        data = read_at(wanted.name, folder, LIMITS.member_bytes)
    except OSError as error:
        return _failed(wanted.collector, path, error, pid)
    return Read(wanted.collector, path, "ok", data, None, "", (time.perf_counter() - began) * 1000)


def _failed(collector: str, path: str, error: OSError, pid: int) -> Read:
    gap = gap_of(error, path)
    refused = _REFUSED % pid if os.geteuid() else _REFUSED_TO_ROOT
    return Read(collector, path, gap.kind, reason=refused if gap.kind == "refused" else gap.reason)


# "5573e3e46000 bind=static:0,2 file=..."; the words are those of mpol_to_str() in the kernel's mm/mempolicy.c
_POLICY = re.compile(
    rb"[0-9a-f]{1,16} (?:default|local|prefer \(many\)|prefer|bind|weighted interleave|interleave|unknown)"
    rb"(?:=[a-z|]+)?(?::[0-9,-]+)?(?=[ \n])"
)


def _read_policy(wanted: _Wanted, where: str, folder: int, pid: int) -> Read:
    """Address and policy of the first mapping of numa_maps: the task's policy.

    64 bytes make the kernel format (and walk) one mapping only; the rest of a longer line then comes from its buffer.
    """
    began = time.perf_counter()
    path = "%s/%s" % (where, wanted.name)
    try:
        fd = os.open(wanted.name, _OPEN, dir_fd=folder)
        try:
            head = os.read(fd, _HEAD_BYTES)
            policy = _POLICY.match(head)
            if policy is None and b"\n" not in head and len(head) == _HEAD_BYTES:
                policy = _POLICY.match(head + os.read(fd, _HEAD_BYTES))
        finally:
            os.close(fd)
    except OSError as error:
        return _failed(wanted.collector, path, error, pid)
    if head and not policy:
        return Read(wanted.collector, path, "cut", reason="no policy that is known in its first bytes")
    return Read(wanted.collector, path, "ok", policy[0] + b"\n" if policy else b"", None, "", (time.perf_counter() - began) * 1000)


def _policy_line(maps: bytes) -> bytes:
    policy = _POLICY.match(maps)
    return policy[0] + b"\n" if policy else b""


def _targets(parent: str, folder: int) -> Dict[str, str]:
    """Name to target of the links in a directory such as ``fd``."""
    fd = os.open(parent, _OPEN | os.O_DIRECTORY, dir_fd=folder)
    found = {}
    try:
        for name in sorted(os.listdir(fd), key=natural):
            try:
                found[name] = os.readlink(name, dir_fd=fd)
            except OSError:
                continue  # closed meanwhile
    finally:
        os.close(fd)
    return found


def _thread_ids(folder: int) -> List[str]:
    try:
        fd = os.open("task", _OPEN | os.O_DIRECTORY, dir_fd=folder)
    except OSError:
        return []
    try:
        return sorted((name for name in os.listdir(fd) if name.isdigit()), key=int)
    except OSError:
        return []
    finally:
        os.close(fd)


def _start_ticks(folder: int) -> Optional[int]:
    try:
        return parse_stat(read_at("stat", folder, LIMITS.line_bytes).decode("utf-8", "backslashreplace")).start_ticks
    except (OSError, ParseError):
        return None


def _resident_bytes(status: bytes) -> Optional[int]:
    """Resident memory by ``/proc/PID/status``; None before Linux 4.5, which has no RssAnon."""
    fields = parse_status(status.decode("utf-8", "backslashreplace"))
    try:
        return sum(parse_bytes(fields[key]) for key in _RESIDENT if key != "HugetlbPages" or key in fields)
    except (KeyError, ParseError):
        return None


def second_reading(root: str, starts: Mapping[int, Optional[int]], pid: int) -> Iterator[Any]:
    """``stat`` of a process and of its threads again; nothing if the PID is another process's by now."""
    where = "proc/%d" % pid
    try:
        folder = os.open(os.path.join(root, where), _OPEN | os.O_DIRECTORY)
    except OSError:
        yield Read("", where, "gone", reason="the process ended between the readings")
        return
    try:
        if _start_ticks(folder) != starts.get(pid):
            yield Read("", where, "gone", reason="the PID is another process's by now")
            return
        yield _read_file(_Wanted("", "stat", False), where, folder, pid)
        yield from _read_threads([_Wanted("", "stat", False)], _thread_ids(folder), where, folder, _read_file)
    finally:
        os.close(folder)
