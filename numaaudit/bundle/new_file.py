"""A file that appears under its name whole, or not at all, and never in the place of another."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, Iterator

from numaaudit.core.errors import CollectError, TargetExistsError

_ELSEWHERE = "name a file elsewhere with -o"


def check_target(target: str) -> None:
    """CollectError if no file can be written to ``target``; ask before the host is read."""
    check_folder(os.path.dirname(target) or ".")
    try:
        os.lstat(target)
    except FileNotFoundError:
        return
    except OSError as error:
        raise CollectError("%s: %s" % (target, error.strerror), _ELSEWHERE) from None
    raise _exists(target)


def check_folder(folder: str) -> None:
    """CollectError if no file can be written into ``folder``."""
    if not os.path.isdir(folder):
        raise CollectError("%s: no such directory" % folder, "make it, or name another file with -o")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CollectError("%s: not writable" % folder, _ELSEWHERE)


@contextmanager
def new_file(target: str, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """Write a file of this mode: to a temporary name beside it, synced, then named. CollectError if that cannot be done."""
    check_target(target)
    folder, name = os.path.split(target)
    part = os.path.join(folder, ".%s.%d.part" % (name[:40], os.getpid()))
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except OSError as error:
        raise CollectError("%s: %s" % (target, error.strerror), _ELSEWHERE) from None
    try:
        with open(fd, "wb") as file:
            yield file
            file.flush()
            os.fsync(fd)
        _name(part, target)
        _sync_folder(folder or ".")
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise CollectError("%s: not written: %s" % (target, error.strerror or error), "name a file with -o where there is room") from None
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def _exists(target: str) -> TargetExistsError:
    return TargetExistsError("%s: exists already" % target, "name another file with -o, or remove it")


def _name(part: str, target: str) -> None:
    """Give a file its name if that is free; rename(2) would replace what another process has put there meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.rename(part, target)


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
