"""The files of one process, read in a child (collect/reader.py).

What cannot wait for a lock comes first, so that a process that hangs still gives its masks, its threads and its open devices.
"""

from __future__ import annotations

from typing import Any, Generator, Iterator, List, Mapping, NamedTuple, Optional

from numaaudit.bundle.tree import braces
from numaaudit.collect.collector import Collector, Read, of_scope
from numaaudit.collect.proc_folder import ProcFolder, policy_of
from numaaudit.collect.reader import Trying
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import parse_status
from numaaudit.core.units import GIB, parse_bytes

GUARD_BYTES = GIB
PROCESS_S = 10.0  # to read one process; a second is a lot
_RESIDENT = ("RssAnon", "RssShmem", "RssFile")
_GUARDED = "more than 1 GiB is resident, so only the policy was read; run: numaaudit collect --pid %d --pages full"
_NOT_WANTED = "only the policy was asked for (--pages none); run: numaaudit collect --pid %d --pages full"


class _Wanted(NamedTuple):
    """One file name to read of a process or thread, and for which collector."""

    collector: str
    name: str
    walks_pages: bool = False


class ProcessReader:
    """The work of reading processes: ``reader(pid)`` gives Reads. ``pages`` is sample, full or none (CollectOptions)."""

    def __init__(self, root: str, collectors: Mapping[str, Collector], pages: str) -> None:
        own, threads = of_scope(collectors, "process"), of_scope(collectors, "thread")
        self._root = root
        self._pages = pages
        self._links = {name: unit for name, unit in own.items() if unit.links}
        self._files = _wanted(own, locks_memory=False)
        self._locking = _wanted(own, locks_memory=True)
        self._thread_files = _wanted(threads, locks_memory=False)
        self._thread_policies = _wanted(threads, locks_memory=True)

    def after(self, pid: int, hung: str) -> List[str]:
        """The files that would have come after one that gave no answer."""
        paths = ["proc/%d/%s" % (pid, wanted.name) for wanted in self._locking]
        return paths[paths.index(hung) + 1 :] if hung in paths else []

    def __call__(self, pid: int) -> Iterator[Any]:
        try:
            process = ProcFolder.open(self._root, pid)
        except OSError:
            yield Read("", "proc/%d" % pid, "gone", reason="no such process")
            return
        with process:
            began = process.start_ticks()
            status = yield from self._own_files(process)
            yield from self._open_files(process)
            yield from _each_thread(process, self._thread_files)
            policy = yield from self._locking_files(process, _resident_bytes(status))
            yield from self._policies(process, policy)
            if began is None or process.start_ticks() != began:
                yield Read("", process.path, "gone", reason="the process ended while it was read")

    def _own_files(self, process: ProcFolder) -> Generator[Any, None, bytes]:
        """What waits for no lock; returns ``status``."""
        status = b""
        for wanted in self._files:
            found = process.file(wanted.collector, wanted.name)
            status = found.data or b"" if wanted.name == "status" else status
            yield found
        return status

    def _open_files(self, process: ProcFolder) -> Iterator[Read]:
        """The open files that are worth keeping, and what is declared beside them (``fdinfo/*``)."""
        try:
            targets = process.targets("fd") if self._links else {}
        except OSError as error:
            yield process.failed("", process.path + "/fd", error)
            return
        for collector, unit in self._links.items():
            kept = {name: target for name, target in targets.items() if unit.keep_target is None or unit.keep_target(target)}
            for name, target in kept.items():
                yield Read(collector, "%s/fd/%s" % (process.path, name), link=target)
                yield from (process.file(collector, pattern.replace("*", name)) for pattern in unit.files)

    def _locking_files(self, process: ProcFolder, resident_bytes: Optional[int]) -> Generator[Any, None, bytes]:
        """What takes the process's mmap_lock; returns the main thread's policy."""
        policy = b""
        for wanted in self._locking:
            yield Trying("%s/%s" % (process.path, wanted.name))
            found = self._pages_file(process, wanted, resident_bytes) if wanted.walks_pages else process.file(wanted.collector, wanted.name)
            policy = policy_of(found.data) if wanted.walks_pages and found.data else policy
            yield found
        return policy

    def _pages_file(self, process: ProcFolder, wanted: _Wanted, resident_bytes: Optional[int]) -> Read:
        """numa_maps whole, or only its policy: reading it holds up a large process for long."""
        is_small = resident_bytes is not None and resident_bytes <= GUARD_BYTES
        if self._pages == "full" or (self._pages == "sample" and is_small):
            return process.file(wanted.collector, wanted.name)
        head = process.policy(wanted.collector, wanted.name)
        reason = (_GUARDED if self._pages == "sample" else _NOT_WANTED) % process.pid
        return head._replace(outcome="cut", reason=reason) if head.data else head

    def _policies(self, process: ProcFolder, main: bytes) -> Iterator[Any]:
        """The policies of threads that differ from the main thread's. A refusal is that of all: they share one mm."""
        yield Trying(process.path + "/task/*/numa_maps")
        for tid in process.thread_ids():
            for wanted in self._thread_policies:
                found = process.policy(wanted.collector, "task/%s/%s" % (tid, wanted.name))
                if found.outcome == "refused":
                    return
                if found.outcome == "ok" and found.data != main:
                    yield found


def second_reading(root: str, starts: Mapping[int, int], pid: int) -> Iterator[Any]:
    """The work of reading ``stat`` of a process and its threads again; ``starts`` has the start ticks of the first reading."""
    try:
        process = ProcFolder.open(root, pid)
    except OSError:
        yield Read("", "proc/%d" % pid, "gone", reason="the process ended between the readings")
        return
    with process:
        if process.start_ticks() != starts[pid]:
            yield Read("", process.path, "gone", reason="the PID is another process's by now")
            return
        yield process.file("process_status", "stat")
        yield from _each_thread(process, [_Wanted("threads", "stat")])


def _wanted(collectors: Mapping[str, Collector], locks_memory: bool) -> List[_Wanted]:
    return [
        _Wanted(name, plain, unit.walks_pages)
        for name, unit in collectors.items()
        if unit.locks_memory is locks_memory and not unit.links
        for pattern in unit.files
        for plain in braces(pattern)
    ]  # fmt: skip


def _each_thread(process: ProcFolder, wanted: List[_Wanted]) -> Iterator[Read]:
    """The same files of each thread. What is not there is that of a thread that has ended."""
    for tid in process.thread_ids():
        for one in wanted:
            found = process.file(one.collector, "task/%s/%s" % (tid, one.name))
            if found.outcome == "ok":
                yield found


def _resident_bytes(status: bytes) -> Optional[int]:
    """Resident memory by ``/proc/PID/status``; None before Linux 4.5, which has no RssAnon."""
    fields = parse_status(status.decode("utf-8", "backslashreplace"))
    try:
        return sum(parse_bytes(fields[key]) for key in _RESIDENT) + parse_bytes(fields.get("HugetlbPages", "0"))
    except (KeyError, ParseError):
        return None
