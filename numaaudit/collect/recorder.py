"""What was collected so far: members of the bundle, redacted on their way in, and their entries in the manifest."""

from __future__ import annotations

import hashlib
from typing import Dict, List, NamedTuple, Tuple

from numaaudit.bundle.manifest import CommandRun, Entry, command_path
from numaaudit.bundle.redact import redact
from numaaudit.bundle.tree import Link, Members
from numaaudit.collect.collector import Read
from numaaudit.collect.exec import Result

_NOT_PERMITTED = (b"Operation not permitted", b"Permission denied")  # strerror(3) of EPERM and EACCES


class _ThreadFile(NamedTuple):
    path: str
    size: int
    sha256: str
    duration_ms: float


class Recorder:
    """Nothing enters ``members`` but through here."""

    def __init__(self) -> None:
        self.members = Members()
        self.redactions: Dict[str, int] = {}
        self.commands: List[CommandRun] = []
        self._entries: Dict[str, Entry] = {}
        self._tasks: Dict[str, List[_ThreadFile]] = {}

    def add(self, read: Read, below: str = "root/") -> None:
        """Keep one attempt, and the bytes if it has any. The first of a path counts."""
        path = below + read.path
        if path in self._entries:
            return
        if read.link is not None:
            self.members.add(path, Link(read.link))
            self._entries[path] = Entry(path, read.outcome, collector=read.collector, link=read.link)
            return
        data = None if read.data is None else redact(path, read.data, self.redactions)
        if data is not None:
            self.members.add_bytes(path, data)
        folder, task, _ = path.partition("/task/")
        if task and data is not None:
            self._tasks.setdefault(folder + "/task", []).append(_ThreadFile(path, len(data), _sha256(data), read.duration_ms))
        else:
            size, digest = (0, "") if data is None else (len(data), _sha256(data))
            self._entries[path] = Entry(path, read.outcome, size, digest, read.collector, round(read.duration_ms, 3), read.reason)

    def outcome(self, path: str) -> str:
        """What became of a path; empty where it was not tried."""
        return self._entries[path].outcome if path in self._entries else ""

    def miss(self, path: str, outcome: str, reason: str, collector: str = "") -> None:
        """Keep an attempt that gave nothing."""
        self._entries.setdefault(path, Entry(path, outcome, collector=collector, reason=reason))

    def explain(self, path: str, reason: str) -> None:
        """Say more of an attempt that was kept."""
        self._entries[path] = self._entries[path]._replace(reason=reason)

    def add_command(self, result: Result, collector: str) -> None:
        """Keep what a command printed: stdout even if empty, stderr apart and only if it said something."""
        path = command_path(result.argv)
        if result.exit_code and not result.stdout and any(sign in result.stderr for sign in _NOT_PERMITTED):
            result = result._replace(outcome="refused", reason="not permitted to this user; collect as root")
        self.commands.append(
            CommandRun(result.argv, path, result.outcome, result.exit_code, result.signal, round(result.duration_ms, 3), result.reason)
        )
        if result.outcome in ("ok", "cut"):
            self.add(Read(collector, path, data=result.stdout), below="")
        if result.stderr:
            self.add(Read(collector, path[: -len(".out")] + ".err", data=result.stderr), below="")

    def files(self) -> List[Tuple[str, str]]:
        """(path, collector) of every file that was read, but those of threads."""
        return [(path, entry.collector) for path, entry in self._entries.items() if entry.outcome == "ok" and entry.link is None]

    def entries(self) -> Tuple[Entry, ...]:
        """All entries in order of path; the ``task`` directory of a process is one."""
        tasks = [_task_entry(path, files) for path, files in self._tasks.items()]
        return tuple(sorted([*self._entries.values(), *tasks]))


def _task_entry(path: str, files: List[_ThreadFile]) -> Entry:
    lines = "".join("%s  %s\n" % (one.sha256, one.path) for one in sorted(files))
    size, duration = sum(one.size for one in files), sum(one.duration_ms for one in files)
    return Entry(path, "ok", size, _sha256(lines.encode()), "threads", round(duration, 3), files=len(files))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
