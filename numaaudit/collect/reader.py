"""Reading what may never answer: work is done in a forked child that can be killed, or abandoned, at its deadline.

Reading another process's ``cmdline``, ``environ`` or ``numa_maps`` takes its mmap_lock; where the process hangs in the
kernel with that lock held (a dead GPU), the reader sleeps uninterruptibly and not even SIGKILL ends it. So the reader is a
child in a session of its own, and whoever waits for it does so only until a deadline.

The child sends frames over a pipe: a 4-byte length and a ``marshal`` of (index of the item, batch of results, what it will
try next). What was sent before a hang is kept.
"""

from __future__ import annotations

import marshal
import os
import select
import signal
import struct
import sys
import time
from contextlib import ExitStack
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from numaaudit.collect.guard import Guard

_HEADER = struct.Struct("!I")
_BATCH = 256  # results sent at once
_POLL_S = 0.1  # how often a caller's wish to stop is noticed
_KILL_GRACE_S = 0.2
_SLOW_S = 0.5  # a reader that is silent for so long may be one that hangs


class Trying(str):
    """Yielded by the work before something that may hang: everything so far is sent first."""

    __slots__ = ()


class Batch(NamedTuple):
    """Results of one item, as the work yielded them (tuples, strings, bytes and numbers)."""

    item: Any
    results: List[Any]


class Stopped(NamedTuple):
    """An item that was not finished. ``outcome``: timed-out, not-run (asked to stop, no time left) or gone (the child died)."""

    item: Any
    outcome: str
    trying: str
    reason: str


Work = Callable[[Any], Iterator[Any]]
Event = Union[Batch, Stopped]


def read_each(work: Work, items: Sequence[Any], item_s: float, until: float, stop: Callable[[], bool]) -> Iterator[Event]:
    """Run ``work(item)`` over all items in a child and give its results as they come.

    Each item may take ``item_s`` seconds, all of them run up to ``until`` (time.monotonic). An item that hangs costs its
    child; a new one goes on with the next item.
    """
    start = 0
    while start < len(items):
        if stop() or time.monotonic() >= until:
            reason = "interrupted" if stop() else "no time was left"
            yield from (Stopped(item, "not-run", "", reason) for item in items[start:])
            return
        child = _Child(work, items, start)
        try:
            yield from child.events(item_s, until, stop)
        finally:
            child.end()
        start = child.index + 1


class _Child:
    """One forked reader, working on the items from ``index`` on."""

    def __init__(self, work: Work, items: Sequence[Any], index: int) -> None:
        self.index = index
        self._items = items
        self._buffer = bytearray()
        self._trying = ""
        self._guards = ExitStack()
        self._is_guarded = False
        self._heard_at = time.monotonic()
        self._pipe, writing = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _serve(work, items, index, self._pipe, writing)
        os.close(writing)

    def events(self, item_s: float, until: float, stop: Callable[[], bool]) -> Iterator[Event]:
        """Batches until all is done, or up to the first item that is not."""
        deadline = min(time.monotonic() + item_s, until)
        while self.index < len(self._items):
            frame = self._frame(deadline, stop)
            if frame is None:
                yield self._stopped(deadline, until, stop)
                return
            finished, results, self._trying = frame
            if results:
                yield Batch(self._items[self.index], results)
            if finished:
                self.index += 1
                deadline = min(time.monotonic() + item_s, until)

    def _stopped(self, deadline: float, until: float, stop: Callable[[], bool]) -> Stopped:
        item = self._items[self.index]
        if stop():
            return Stopped(item, "not-run", self._trying, "interrupted")
        if time.monotonic() < deadline:
            return Stopped(item, "gone", self._trying, "the reader died")
        return Stopped(item, "timed-out", self._trying, "no answer" if deadline < until else "no answer before the total deadline")

    def _frame(self, deadline: float, stop: Callable[[], bool]) -> Optional[Tuple[bool, List[Any], str]]:
        """The next frame; None at the deadline, at the end of the pipe, or when asked to stop."""
        while True:
            size = _HEADER.unpack_from(self._buffer)[0] if len(self._buffer) >= _HEADER.size else None
            if size is not None and len(self._buffer) >= _HEADER.size + size:
                frame = marshal.loads(memoryview(self._buffer)[_HEADER.size : _HEADER.size + size])  # noqa: S302  # our own child's
                del self._buffer[: _HEADER.size + size]
                return frame  # type: ignore[no-any-return]
            left = deadline - time.monotonic()
            if left <= 0 or stop():
                return None
            if select.select([self._pipe], [], [], min(left, _POLL_S))[0]:
                chunk = os.read(self._pipe, 1 << 20)
                if not chunk:
                    return None
                self._buffer += chunk
                self._heard_at = time.monotonic()
            elif not self._is_guarded and time.monotonic() - self._heard_at > _SLOW_S:
                self._guard()

    def _guard(self) -> None:
        """A reader ends by itself once nobody reads what it sends; one that hangs sends nothing, so from now on it is watched."""
        self._is_guarded = True
        self._guards.enter_context(Guard()).watch(self._pid)

    def end(self) -> None:
        """Kill the child and reap it, or abandon it if it cannot die."""
        self._guards.close()
        os.close(self._pipe)
        os.kill(self._pid, signal.SIGKILL)  # it is ours and not reaped yet, so the PID is its own
        until = time.monotonic() + _KILL_GRACE_S
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.001)


def _serve(work: Work, items: Sequence[Any], index: int, reading: int, writing: int) -> None:
    """The child's life. It leaves by os._exit: nothing of the parent's (buffers, handlers) may run twice."""
    try:
        os.setsid()
        os.close(reading)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for item in items[index:]:
            _send_all(work(item), writing)
    except BrokenPipeError:
        pass  # the parent was killed
    except Exception:  # noqa: BLE001  # a bug of ours: it is shown here, and the parent only sees that the child died
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _send_all(results: Iterator[Any], writing: int) -> None:
    batch: List[Any] = []
    for result in results:
        trying = str(result) if isinstance(result, Trying) else None
        if trying is None:
            batch.append(tuple(result) if isinstance(result, tuple) else result)  # marshal knows no subclass of tuple
        if trying is not None or len(batch) == _BATCH:
            _send(writing, (False, batch, trying or ""))
            batch = []
    _send(writing, (True, batch, ""))


def _send(writing: int, frame: Tuple[bool, List[Any], str]) -> None:
    data = marshal.dumps(frame)
    data = _HEADER.pack(len(data)) + data
    while data:
        data = data[os.write(writing, data) :]
