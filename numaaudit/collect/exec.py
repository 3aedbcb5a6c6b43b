"""The only door to other programs. They ask drivers that may hang, so each is bounded in time and in output.

A command runs in a session of its own, with ``LC_ALL=C``, a clean environment, cwd ``/`` and no input, from a directory of
PATH that nobody else can write to. What is still running at the deadline is killed, and abandoned if it cannot die. Only a
command that may ask for a passphrase stays in our session (run_at_terminal).
"""

from __future__ import annotations

import os
import selectors
import signal
import stat
import subprocess
import time
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from numaaudit.collect.guard import Guard
from numaaudit.core.units import KIB, MIB

OUTPUT_BYTES = 4 * MIB  # lscpu --extended of 65,536 CPUs prints half of it
_CUT_BYTES = 64 * KIB  # of an answer without end this much is kept, to see what it was
_POLL_S = 0.05
_KILL_GRACE_S = 0.2
_NO_REASON = ""


class Result(NamedTuple):
    """What one command did. ``exit_code`` and ``signal`` are None where it did not end by itself.

    ``stdout`` is empty unless it ended or was cut: half a table would be read as a whole one.
    """

    argv: Tuple[str, ...]
    outcome: str = "ok"
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    stdout: bytes = b""
    stderr: bytes = b""
    reason: str = _NO_REASON
    duration_ms: float = 0.0


def run_commands(commands: Sequence[Tuple[str, ...]], seconds: float, path: str, stop: Callable[[], bool]) -> List[Result]:
    """Run commands side by side for at most ``seconds``; ``path`` is a PATH to find them in. The order is kept."""
    folders = safe_folders(path)
    found = [(argv, find_program(argv[0], folders)) for argv in commands]
    with Guard() as guard:
        running = [_start(argv, program, folders, guard) if program else None for argv, program in found]
        try:
            _wait([one for one in running if one], time.monotonic() + seconds, stop)
        finally:
            for one in running:
                if one:
                    one.end()
    return [
        one.result() if one else Result(argv, "absent", reason="%s is not in PATH" % argv[0] if program is None else "cannot be started")
        for (argv, program), one in zip(found, running)
    ]  # fmt: skip


def safe_folders(path: str) -> List[str]:
    """The entries of PATH that are absolute directories and not world-writable."""
    return [folder for folder in path.split(":") if folder.startswith("/") and _is_safe(folder)]


def _is_safe(folder: str) -> bool:
    try:
        mode = os.stat(folder).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and not mode & stat.S_IWOTH


def find_program(name: str, folders: Sequence[str]) -> Optional[str]:
    """The absolute path of a program."""
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _start(argv: Tuple[str, ...], program: str, folders: Sequence[str], guard: Guard) -> Optional[_Running]:
    try:
        process = subprocess.Popen(
            (program,) + argv[1:],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C", "PATH": ":".join(folders)},
            start_new_session=True,
            preexec_fn=guard.watch_me,  # noqa: PLW1509  # no thread runs meanwhile
            bufsize=0,
        )
    except OSError:
        return None
    return _Running(argv, process)


def run_at_terminal(argv: Tuple[str, ...], given: bytes, seconds: float, path: str, environment: Mapping[str, str]) -> Result:
    """Run a command that reads ``given`` and may ask for a passphrase: in this session, so that it finds the terminal.

    ``environment`` is added to the clean one. At its deadline it gets SIGTERM first, on which it turns the terminal's echo on again.
    """
    folders = safe_folders(path)
    program = find_program(argv[0], folders)
    if program is None:
        return Result(argv, "absent", reason="%s is not in PATH" % argv[0])
    try:
        process = subprocess.Popen(
            (program,) + argv[1:],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C", "PATH": ":".join(folders), **environment},
        )
    except OSError:
        return Result(argv, "absent", reason="%s cannot be started" % argv[0])
    try:
        stdout, stderr = process.communicate(given, seconds)
    except subprocess.TimeoutExpired:
        return Result(argv, "timed-out", reason="no answer from %s within %d s" % (argv[0], seconds))
    finally:
        _terminate(process)
    code = process.returncode
    return Result(argv, "ok", code if code >= 0 else None, -code if code < 0 else None, stdout, stderr)


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_KILL_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        _abandoned.append(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


class _Running:
    """A command that was started, and what it has printed so far."""

    def __init__(self, argv: Tuple[str, ...], process: subprocess.Popen[bytes]) -> None:
        self.argv = argv
        self.process = process
        self._pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe]
        self.output: Dict[int, bytearray] = {pipe.fileno(): bytearray() for pipe in self._pipes}
        self.outcome = "timed-out"
        self.reason = "still running at its deadline"
        self._began = self._ended = time.monotonic()

    def take(self, fd: int) -> bool:
        """Read what there is; False once there will be no more, or enough of it."""
        chunk = os.read(fd, 1 << 16)
        self.output[fd] += chunk
        if len(self.output[fd]) > OUTPUT_BYTES:
            self.outcome, self.reason = "cut", "printed more than %d MiB" % (OUTPUT_BYTES // MIB)
            self.kill()
            return False
        return bool(chunk)

    def kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def ended(self) -> bool:
        """Whether it has ended by itself."""
        if self.outcome == "timed-out" and self.process.poll() is not None:
            self.outcome, self.reason = "ok", _NO_REASON
            self._ended = time.monotonic()
        return self.outcome != "timed-out"

    def end(self) -> None:
        """Leave nothing behind that can be ended: helpers it started, or itself."""
        if not self.ended():
            self._ended = time.monotonic()
        self.kill()
        try:
            self.process.wait(_KILL_GRACE_S)
        except subprocess.TimeoutExpired:
            _abandoned.append(self.process)
        for pipe in self._pipes:
            pipe.close()

    def result(self) -> Result:
        stdout, stderr = (_whole_lines(data) for data in self.output.values())
        code = self.process.returncode if self.outcome == "ok" else None
        return Result(
            self.argv, self.outcome, code if code is not None and code >= 0 else None, -code if code is not None and code < 0 else None,
            stdout if self.outcome in ("ok", "cut") else b"", stderr, self.reason, (self._ended - self._began) * 1000,
        )  # fmt: skip


_abandoned: List[subprocess.Popen[bytes]] = []  # in uninterruptible sleep; kept so that their end is not taken for a leak


def _whole_lines(data: bytearray) -> bytes:
    return bytes(data[:_CUT_BYTES].rpartition(b"\n")[0] + b"\n") if len(data) > OUTPUT_BYTES else bytes(data)


def _wait(running: Sequence[_Running], until: float, stop: Callable[[], bool]) -> None:
    """Gather output until all have ended, the time is up, or a stop is asked for."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            for fd in one.output:
                selector.register(fd, selectors.EVENT_READ, one)
        pending = list(running)
        while pending and time.monotonic() < until and not stop():
            ready = selector.select(_POLL_S)
            for key, _ in ready:
                if not key.data.take(key.fd):
                    selector.unregister(key.fd)
            # a helper that outlives its command may hold the pipes open, so the end of the command counts, once all is read
            if not ready or not selector.get_map():
                pending = [one for one in pending if not one.ended()]
                time.sleep(0 if ready or selector.get_map() else 0.002)
    for one in pending if stop() else ():
        one.outcome, one.reason = "not-run", "interrupted"
