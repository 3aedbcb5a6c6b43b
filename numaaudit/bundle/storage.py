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

Node = Any  # a storage's own handle of one directory, file or link


class Storage:
    """What a tree is kept in. ``top`` is the handle of the outermost directory."""

    top: Node

    def child(self, folder: Node, name: str) -> Optional[Node]:
        """The entry ``name`` of a directory, or None."""
        raise NotImplementedError

    def names(self, folder: Node) -> Iterable[str]:
        raise NotImplementedError

    def kind(self, node: Node) -> str:
        """``dir``, ``file``, ``link`` or ``other`` (a FIFO, a device)."""
        raise NotImplementedError

    def target(self, node: Node) -> str:
        """The text of a symbolic link."""
        raise NotImplementedError

    def read(self, node: Node) -> bytes:
        """The bytes of a file; OSError says why not."""
        raise NotImplementedError

    def origin(self, node: Node) -> str:
        """The file's name in the input."""
        raise NotImplementedError

    def at(self, path: str) -> Optional[Node]:
        """What is at ``path``, no link followed; None if nothing is."""
        node: Optional[Node] = self.top
        for part in parts_of(path):
            node = self.child(node, part) if node is not None and self.kind(node) == "dir" else None
        return node

    def walk(self, folder: Node) -> Iterator[Tuple[str, Node]]:
        """Path below ``folder`` and node of all that is in it but for directories that hold something, in natural order.

        No link is followed; what cannot be listed counts as empty.
        """
        pending: List[Tuple[str, Node]] = [("", folder)]
        while pending:
            path, node = pending.pop()
            children = self._children(node) if self.kind(node) == "dir" else []
            if path and not children:
                yield path, node
            prefix = path + "/" if path else ""
            pending.extend((prefix + name, child) for name, child in reversed(children))

    def _children(self, folder: Node) -> List[Tuple[str, Node]]:
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
        folder = self.top
        for part in parts_of(path):
            child = folder.get(part)
            if child is None:
                child = folder[part] = {}
                self.num_folders += 1
            elif not isinstance(child, dict):
                return None
            folder = child
        self._folders[path] = folder
        return folder

    def add_bytes(self, name: str, data: bytes) -> None:
        self.add(name, Leaf(name, lambda: data))

    def child(self, folder: Node, name: str) -> Optional[Node]:
        return folder.get(name)

    def names(self, folder: Node) -> Iterable[str]:
        return list(folder)

    def kind(self, node: Node) -> str:
        return "dir" if isinstance(node, dict) else "link" if isinstance(node, Link) else "file"

    def target(self, node: Node) -> str:
        return str(node.target)

    def read(self, node: Node) -> bytes:
        if isinstance(node, (dict, Link)):
            raise OSError(errno.EINVAL, "not a regular file")
        return bytes(node.load())

    def origin(self, node: Node) -> str:
        return str(node.name)


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

    def child(self, folder: Node, name: str) -> Optional[Node]:
        try:
            status = os.stat(name, dir_fd=self._opened(folder.parts).number, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL, or what no file name can hold
            return None
        return _Place(folder.parts + (name,), status.st_mode)

    def names(self, folder: Node) -> Iterable[str]:
        return [_printable(name) for name in os.listdir(self._opened(folder.parts).number)]

    def kind(self, node: Node) -> str:
        kind = stat.S_IFMT(node.mode)
        return _KINDS.get(kind, "other")

    def target(self, node: Node) -> str:
        return _printable(os.readlink(node.parts[-1], dir_fd=self._opened(node.parts[:-1]).number))

    def read(self, node: Node) -> bytes:
        return read_at(node.parts[-1], self._opened(node.parts[:-1]).number, self._limits.member_bytes)

    def origin(self, node: Node) -> str:
        return os.path.join(self._path, *node.parts) if self._path == "/" else "/".join(node.parts)


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


def _printable(name: str) -> str:
    """A file's name without the lone surrogates that stand for bytes outside UTF-8; such a file is listed and not found."""
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
