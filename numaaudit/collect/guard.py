"""Nothing outlives the collector, not even where that is killed without a word (SIGKILL, out of memory).

A process of its own holds one end of a pipe. It reads the PIDs of what was started; once nobody holds the other end any more it
kills them with all they have started, and ends.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import TracebackType
from typing import Optional, Type


class Guard:
    """While entered, what it was told to watch dies with this process; it also dies where this is left by an exception."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._writing)
            _wait_and_kill(reading)
        os.close(reading)

    def watch(self, pid: int) -> None:
        """Watch a child that leads a session."""
        os.write(self._writing, b"%d\n" % pid)

    def watch_me(self) -> None:
        """For a child that leads a session and has not become its program yet: told later, some would run unwatched meanwhile."""
        self.watch(os.getpid())

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if kind is None:
            os.kill(self._pid, signal.SIGKILL)  # it is ours and not reaped yet, so the PID is its own
        os.close(self._writing)
        os.waitpid(self._pid, 0)


def _wait_and_kill(reading: int) -> None:
    """The guard's life; it leaves by os._exit, as nothing of the parent's may run twice."""
    try:
        os.setsid()  # Ctrl-C is the parent's to answer
        told = bytearray()
        chunk = os.read(reading, 4096)
        while chunk:
            told += chunk
            chunk = os.read(reading, 4096)
        for pid in map(int, told.split()):
            with suppress(OSError):  # it has ended
                os.killpg(pid, signal.SIGKILL)
    finally:
        os._exit(0)
