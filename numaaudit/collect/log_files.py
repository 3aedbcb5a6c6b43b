"""Log files that the user names; no other file of a user is ever read."""

from __future__ import annotations

import errno
import os
import stat
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence

from numaaudit.bundle.plain_text import is_text, utf8
from numaaudit.bundle.tree import gap_of
from numaaudit.collect.collector import Read
from numaaudit.collect.reader import Batch, read_each
from numaaudit.core.errors import UsageError
from numaaudit.core.units import MIB

MOST_BYTES = 32 * MIB  # redaction reads some MiB a second; launchers say what they bind at their start
_LOOK_S = 2.0  # a file system of another host may not answer; then it is a gap that the log is not read
_CUT = "larger than %d MiB, so only its start was kept; name a file with the part that matters"
_NO_TEXT = "not a text, so that no secret in it can be redacted; name it unpacked"


class Log(NamedTuple):
    """A file of this host, and its name below ``logs/``."""

    name: str
    path: str


def name_logs(paths: Sequence[str]) -> List[Log]:
    """Each log under its base name; of two with the same, the second gets a number."""
    seen: Dict[str, int] = {}
    logs = []
    for path in paths:
        name = os.fsencode(os.path.basename(path.rstrip("/")) or "log").decode("utf-8", "backslashreplace")
        seen[name] = seen.get(name, 0) + 1
        logs.append(Log(name if seen[name] == 1 else "%s.%d" % (name, seen[name]), path))
    return logs


def check_logs(paths: Sequence[str]) -> None:
    """UsageError for one that cannot be opened; asked before the host is read."""
    for event in read_each(_objection, paths, _LOOK_S, time.monotonic() + _LOOK_S * len(paths), lambda: False):
        if isinstance(event, Batch) and event.results:
            raise UsageError("--log %s: %s" % (event.item, event.results[0]))


def _objection(path: str) -> Iterator[Any]:
    try:
        start_of(path, 0)
    except OSError as error:
        yield error.strerror


def read_log(log: Log) -> Iterator[Any]:
    """The work of reading one log. The user's own link is followed; only a regular file is read, and only a text is kept."""
    began = time.perf_counter()
    try:
        data = start_of(log.path, MOST_BYTES)
    except OSError as error:
        gap = gap_of(error, log.path)
        yield Read("logs", log.name, gap.kind, reason=gap.reason)
        return
    is_cut = len(data) > MOST_BYTES
    # NULs are where a file was cut down while a program had it open, or half of each character in UTF-16
    data = utf8(data[:MOST_BYTES].rpartition(b"\n")[0] + b"\n" if is_cut else data).replace(b"\0", b"")
    if not is_text(data):
        yield Read("logs", log.name, "refused", reason=_NO_TEXT)
        return
    reason = _CUT % (MOST_BYTES // MIB) if is_cut else ""
    yield Read("logs", log.name, "cut" if is_cut else "ok", data, None, reason, (time.perf_counter() - began) * 1000)


def start_of(path: str, most: int) -> bytes:
    """A regular file up to one byte more than ``most``, without waiting for a writer. OSError."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return file.read(most + 1) or b""  # None: a file of procfs with nothing in it yet
