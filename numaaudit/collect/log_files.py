"""Log files that the user names; no other file of a user is ever read."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tree import gap_of, read_at
from numaaudit.collect.collector import Read


class Log(NamedTuple):
    """A file of this host, and its name below ``logs/``."""

    name: str
    path: str


def name_logs(paths: Sequence[str]) -> List[Log]:
    """Each log under its base name; of two with the same, the second gets a number."""
    seen: Dict[str, int] = {}
    logs = []
    for path in paths:
        name = os.path.basename(path.rstrip("/")) or "log"
        seen[name] = seen.get(name, 0) + 1
        logs.append(Log(name if seen[name] == 1 else "%s.%d" % (name, seen[name]), path))
    return logs


def read_log(log: Log) -> Iterator[Any]:
    """The work of reading one log. The user's own link is followed; only a regular file is read."""
    began = time.perf_counter()
    folder, name = os.path.split(os.path.realpath(log.path))
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            data = read_at(name, fd, LIMITS.member_bytes)
        finally:
            os.close(fd)
    except OSError as error:
        gap = gap_of(error, log.path)
        yield Read("logs", log.name, gap.kind, reason=gap.reason)
        return
    yield Read("logs", log.name, data=data, duration_ms=(time.perf_counter() - began) * 1000)
