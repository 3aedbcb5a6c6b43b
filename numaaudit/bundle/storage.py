"""What evidence is kept in: files by name in memory (a tar's index, a collection, a fixture), or a directory of this host.

A storage follows no link: Tree does, on names alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from functools import lru_cache
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from numaaudit.bundle.limits import LIMITS, Limits

Handle = Any  # a storage's own handle of one directory, file or link


class Storage:
    """What a tree is kept in. ``top`` is the handle of the outermost directory."""

    top: Handle

    def child(self, folder: Handle, name: str) -> Optional[Handle]:
        """The entry ``name`` of a directory, or None."""
        raise NotImplementedError

    def names(self, folder: Handle) -> Iterable[str]:
        raise NotImplementedError

    def kind(self, handle: Handle) -> str:
        """``dir``, ``file``, ``link`` or ``other`` (a FIFO, a device)."""
        raise NotImplementedError

    def target(self, handle: Handle) -> str:
        """The text of a symbolic link."""
        raise NotImplementedError

    def read(self, handle: Handle) -> bytes:
        """The bytes of a file; OSError says why not."""
        raise NotImplementedError

    def origin(self, handle: Handle) -> str:
        """The file's name in the input."""
        raise NotImplementedError

    def at(self, path: str) -> Optional[Handle]:
        """What is at ``path``, no link followed; None if nothing is."""
        handle: Optional[Handle] = self.top
        for part in parts_of(path):
            handle = self.child(handle, part) if handle is not None and self.kind(handle) == "dir" else None
        return handle

    def walk(self, folder: Handle) -> Iterator[Tuple[str, Handle]]:
        """Path below ``folder`` and node of all that is in it but for directories that hold something, in natural order.

        No link is followed; what cannot be listed counts as empty.
        """
        pending: List[Tuple[str, Handle]] = [("", folder)]
        while pending:
            path, handle = pending.pop()
            children = self._children(handle) if self.kind(handle) == "dir" else []
            if path and not children:
                yield path, handle
            prefix = path + "/" if path else ""
            pending.extend((prefix + name, child) for name, child in reversed(children))

    def _children(self, folder: Handle) -> List[Tuple[str, Handle]]:
        try:
            named = [(name, self.child(folder, name)) for name in sorted(self.names(folder), key=natural)]
        except OSError:
            return []
        return [(name, child) for name, child in named if child is not None]


class Leaf(NamedTuple):
    """A file of Members: where its bytes are."""

    name: str
    load: Callable[[], bytes]


class Slice(NamedTuple):
    """A file of Members that is a part of a larger one; ``read`` takes offset and size in bytes."""

    name: str
    read: Callable[[int, int], bytes]
    offset: int
    size: int

    def load(self) -> bytes:
        return self.read(self.offset, self.size)


class Link(NamedTuple):
    """A symbolic link of Members."""

    target: str


class Members(Storage):
    """Files by name, held in nested dictionaries: a tar archive, a collection in memory, a fixture."""

    def __init__(self) -> None:
        self.top: Dict[str, Any] = {}
        self.num_folders = 0
        self._folders: Dict[str, Dict[str, Any]] = {"": self.top}  # as their names were spelled

    def add(self, name: str, entry: Union[Leaf, Slice, Link, None]) -> bool:
        """Put a file or link (None: a directory) at ``name``; False if something else is there already."""
        if entry is None:
            return self._made(name) is not None
        parent, _, last = name.rpartition("/")
        folder = self._folders.get(parent)
        if folder is None:
            folder = self._made(parent)
        if folder is None or last in ("", "."):
            return False
        return folder.setdefault(last, entry) is entry

    def _made(self, path: str) -> Optional[Dict[str, Any]]:
        """The folder at ``path``, made where it is missing; None if a file or link is in the way."""
        above, _, last = path.rpartition("/")
        folder = self._folders.get(above)
        if folder is None:
            folder = self._below(self.top, parts_of(above))
        if folder is not None:
            self._folders[above] = folder
            folder = self._below(folder, parts_of(last))
        if folder is not None:
            self._folders[path] = folder
        return folder

    def _below(self, folder: Dict[str, Any], parts: Tuple[str, ...]) -> Optional[Dict[str, Any]]:
        for part in parts:
            child = folder.get(part)
            if child is None:
                child = folder[part] = {}
                self.num_folders += 1
            elif not isinstance(child, dict):
                return None
            folder = child
        return folder

    def add_bytes(self, name: str, data: bytes) -> None:
        self.add(name, Leaf(name, lambda: data))

    def child(self, folder: Handle, name: str) -> Optional[Handle]:
        return folder.get(name)

    def names(self, folder: Handle) -> Iterable[str]:
        return list(folder)

    def kind(self, handle: Handle) -> str:
        return "dir" if isinstance(handle, dict) else "link" if isinstance(handle, Link) else "file"

    def target(self, handle: Handle) -> str:
        return str(handle.target)

    def read(self, handle: Handle) -> bytes:
        if isinstance(handle, (dict, Link)):
            raise OSError(errno.EINVAL, "not a regular file")
        return bytes(handle.load())

    def origin(self, handle: Handle) -> str:
        return str(handle.name)


class _Place(NamedTuple):
    """A node of Folder: the names that lead to it, and ``st_mode``."""

    parts: Tuple[str, ...]
    mode: int


class Folder(Storage):
    """A directory of the host that reads. Each component is opened with O_NOFOLLOW, so no link is ever followed by it."""

    _FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    def __init__(self, path: str, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._path = path
        self._top = _Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        self._opened = lru_cache(maxsize=64)(self._open)
        self.top = _Place((), stat.S_IFDIR)

    def _open(self, parts: Tuple[str, ...]) -> _Descriptor:
        if not parts:
            return self._top
        return _Descriptor(os.open(parts[-1], self._FLAGS | os.O_DIRECTORY, dir_fd=self._opened(parts[:-1]).number))

    def child(self, folder: Handle, name: str) -> Optional[Handle]:
        if name in ("", ".", "..") or "/" in name:  # a name out of an input must not lead out of it
            return None
        if len(folder.parts) >= self._limits.name_depth:
            raise OSError(errno.ENAMETOOLONG, "more than %d folders deep" % self._limits.name_depth)
        try:
            status = os.stat(name, dir_fd=self._opened(folder.parts).number, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL, or what no file name can hold
            return None
        return _Place(folder.parts + (name,), status.st_mode)

    def names(self, folder: Handle) -> Iterable[str]:
        return [printable(name) for name in os.listdir(self._opened(folder.parts).number)]

    def kind(self, handle: Handle) -> str:
        kind = stat.S_IFMT(handle.mode)
        return _KINDS.get(kind, "other")

    def target(self, handle: Handle) -> str:
        return printable(os.readlink(handle.parts[-1], dir_fd=self._opened(handle.parts[:-1]).number))

    def read(self, handle: Handle) -> bytes:
        return read_at(handle.parts[-1], self._opened(handle.parts[:-1]).number, self._limits.member_bytes)

    def origin(self, handle: Handle) -> str:
        return os.path.join(self._path, *handle.parts) if self._path == "/" else "/".join(handle.parts)


_KINDS = {stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFREG: "file"}


class _Descriptor:
    """An open directory that closes when it is dropped from the cache."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


def read_at(name: str, folder_fd: int, most: int) -> bytes:
    """The whole of a regular file below an open directory, without following a link or waiting for a writer.

    Sizes of kernel files are not known beforehand, so it reads to the end. OSError EFBIG above ``most`` bytes, EINVAL for
    what is not a regular file.
    """
    fd = os.open(name, Folder._FLAGS, dir_fd=folder_fd)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        chunks: List[bytes] = []
        total = status.st_size if status.st_size > most else 0
        while total <= most:
            chunk = os.read(fd, 1 << 16 if total < 1 << 18 else 1 << 20)
            if not chunk:
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)
            total += len(chunk)
            chunks.append(chunk)
        raise OSError(errno.EFBIG, "larger than %d bytes" % most)
    finally:
        os.close(fd)


def printable(name: str) -> str:
    """A name without the lone surrogates that stand for bytes outside UTF-8 (os.fsdecode); such a file is listed and not found."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def parts_of(path: str) -> Tuple[str, ...]:
    """The components of a path; empty ones and ``.`` are none."""
    return tuple(part for part in path.split("/") if part not in ("", "."))


_DIGITS = re.compile(r"([0-9]+)")


Pieces = Tuple[Tuple[int, int, str, str], ...]


@lru_cache(maxsize=1 << 14)
def _pieces(part: str) -> Pieces:
    pieces = [(piece, piece.lstrip("0")) for piece in _DIGITS.split(part) if piece]
    return tuple((0, len(digits), digits, piece) if piece[0] in "0123456789" else (1, 0, piece, "") for piece, digits in pieces)


def natural(path: str) -> Tuple[Pieces, ...]:
    """A sort key, component by component, that puts ``cpu2/online`` before ``cpu10/online`` and both before ``cpuidle``."""
    return tuple(map(_pieces, path.split("/")))
