"""Tree: the one interface to evidence, whatever it is stored in.

Paths are those of a bundle: ``root/proc/1/status``, ``commands/lscpu.out``. A tree never raises for one file: what cannot
be had is a Gap. Links are data: they are followed inside the tree as chroot would (an absolute target starts at ``root/``,
``..`` stops there, 40 links at most) and never on the host that reads.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import stat
from functools import lru_cache
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Pattern, Tuple, Union

from numaaudit.bundle.limits import LIMITS, Limits


class Gap(NamedTuple):
    """Why something is not known. ``kind``: absent refused timed-out gone cut not-run unparsable unrecognised ambiguous."""

    kind: str
    path: str
    reason: str


class File(NamedTuple):
    """One piece of evidence. ``origin`` is its name in the input, ``first_line`` the number of its first line there."""

    path: str
    data: bytes
    origin: str
    first_line: int = 1

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "backslashreplace")


Result = Union[File, Gap]
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
        for part in _parts(path):
            child = folder.get(part)
            if child is None:
                child = folder[part] = {}
                self.num_folders += 1
            elif not isinstance(child, dict):
                return None
            folder = child
        self._folders[path] = folder
        return folder

    def entry(self, name: str) -> Optional[Node]:
        """What is at ``name``, no link followed; None if nothing is."""
        node: Node = self.top
        for part in _parts(name):
            node = node.get(part) if isinstance(node, dict) else None
        return node

    def walk(self) -> Iterator[Tuple[str, Union[Leaf, Slice, Link, None]]]:
        """Name and entry of every file and link, and of every empty directory (None), in natural order."""
        pending: List[Tuple[str, Node]] = [("", self.top)]
        while pending:
            path, node = pending.pop()
            if not isinstance(node, dict):
                yield path, node
            elif node:
                prefix = path + "/" if path else ""
                pending.extend((prefix + name, node[name]) for name in sorted(node, key=natural, reverse=True))
            elif path:
                yield path, None

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
        return bytes(node.load())

    def origin(self, node: Node) -> str:
        return str(node.name)


class Folder(Storage):
    """A directory of the host that reads. Each component is opened with O_NOFOLLOW, so no link is ever followed by it."""

    _FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    def __init__(self, path: str, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._path = path
        self._top = _Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        self._open_folder = lru_cache(maxsize=64)(self._folder)
        self.top: Tuple[str, ...] = ()

    def _folder(self, parts: Tuple[str, ...]) -> _Descriptor:
        if not parts:
            return self._top
        parent = self._open_folder(parts[:-1])
        return _Descriptor(os.open(parts[-1], self._FLAGS | os.O_DIRECTORY, dir_fd=parent.number))

    def _mode(self, node: Tuple[str, ...]) -> int:
        if not node:
            return stat.S_IFDIR
        return os.stat(node[-1], dir_fd=self._open_folder(node[:-1]).number, follow_symlinks=False).st_mode

    def child(self, folder: Node, name: str) -> Optional[Node]:
        node = folder + (name,)
        try:
            self._mode(node)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL, or what no file name can hold
            return None
        return node

    def names(self, folder: Node) -> Iterable[str]:
        return [_printable(name) for name in os.listdir(self._open_folder(folder).number)]

    def kind(self, node: Node) -> str:
        mode = self._mode(node)
        return "dir" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "file" if stat.S_ISREG(mode) else "other"

    def target(self, node: Node) -> str:
        return _printable(os.readlink(node[-1], dir_fd=self._open_folder(node[:-1]).number))

    def read(self, node: Node) -> bytes:
        return read_at(node[-1], self._open_folder(node[:-1]).number, self._limits.member_bytes)

    def origin(self, node: Node) -> str:
        return os.path.join(self._path, *node) if self._path == "/" else "/".join(node)


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
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        chunks: List[bytes] = []
        total = 0
        while True:
            chunk = os.read(fd, 1 << 16 if total < 1 << 18 else 1 << 20)
            if not chunk:
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)
            total += len(chunk)
            if total > most:
                raise OSError(errno.EFBIG, "larger than %d bytes" % most)
            chunks.append(chunk)
    finally:
        os.close(fd)


def gap_of(error: OSError, path: str) -> Gap:
    """What an OSError means for evidence: refused, gone, cut or absent."""
    kinds = {errno.EACCES: "refused", errno.EPERM: "refused", errno.ESRCH: "gone", errno.EFBIG: "cut"}
    return Gap(kinds.get(error.errno or 0, "absent"), path, error.strerror or str(error))


class Found(NamedTuple):
    """A path followed to its end: its place in the storage and the links met on the way (path, target)."""

    place: Tuple[str, ...]
    node: Node
    links: Tuple[Tuple[str, str], ...]


class Tree:
    """Evidence by bundle path.

    ``root`` and ``base`` are the places in the storage of the host's root and of everything else; ``aliases`` gives single
    files another name; ``gaps`` is what the manifest says of paths that are not there; ``redact`` is applied to all bytes.
    """

    def __init__(
        self,
        storage: Storage,
        root: str = "root",
        base: str = "",
        aliases: Mapping[str, str] = {},
        gaps: Mapping[str, Gap] = {},
        redact: Optional[Callable[[str, bytes], bytes]] = None,
        limits: Limits = LIMITS,
    ) -> None:
        self.storage = storage
        self.gaps = gaps
        self.aliases = aliases
        self._root = _parts(root)
        self._base = _parts(base)
        self._redact = redact
        self._limits = limits
        self._folders: Dict[str, Union[List[Node], Gap]] = {}

    # -- the interface

    def get(self, path: str) -> Result:
        """The file at ``path``, links followed; a Gap if it cannot be had."""
        found = self.find(path)
        if isinstance(found, Gap):
            return found
        try:
            kind = self.storage.kind(found.node)
            if kind != "file":
                return Gap("absent", path, "a directory" if kind == "dir" else "not a regular file")
            data = self.storage.read(found.node)
        except OSError as error:
            return gap_of(error, path)
        return File(path, self._redact(path, data) if self._redact else data, self.storage.origin(found.node))

    def text(self, path: str) -> Optional[str]:
        """The stripped text of a small file, or None."""
        found = self.get(path)
        return None if isinstance(found, Gap) else found.text.strip(" \t\r\n\0")

    def link(self, path: str) -> Union[str, Gap]:
        """The target text of the symbolic link at ``path``, which need not lead anywhere."""
        folder, _, name = path.rpartition("/")
        stack = self._folder(folder)
        if isinstance(stack, Gap):
            return Gap(stack.kind, path, stack.reason)
        try:
            node = self.storage.child(stack[-1], name)
            if node is None or self.storage.kind(node) != "link":
                return self.gaps.get(path) or Gap("absent", path, "not a symbolic link" if node is not None else "not in the input")
            return self.storage.target(node)
        except OSError as error:
            return gap_of(error, path)

    def glob(self, pattern: str) -> List[str]:
        """Paths that match, in natural order: ``{a,b}`` alternatives, and ``* ? [a-z]`` inside one component."""
        found = {path for plain in braces(pattern) for path in self._match([""], plain.split("/"))}
        found.update(path for path in self.aliases if any(fnmatch.fnmatchcase(path, plain) for plain in braces(pattern)))
        return sorted(found, key=natural)

    def names(self, path: str) -> List[str]:
        """The entries of a directory in natural order; empty if it is none."""
        stack = self._folder(path)
        if isinstance(stack, Gap):
            return []
        try:
            return sorted(self.storage.names(stack[-1]), key=natural)
        except OSError:
            return []

    def real_path(self, path: str) -> Union[str, Gap]:
        """The bundle path that ``path`` leads to once every link in it is followed."""
        found = self.find(path)
        if isinstance(found, Gap):
            return found
        return "/".join(("root",) + found.place[len(self._root):] if path.startswith("root/") else found.place)

    # -- how

    def find(self, path: str) -> Union[Found, Gap]:
        """Follow ``path`` to its end in the storage."""
        real = self.aliases.get(path)
        if real is not None:
            place, floor = _parts(real), len(self._base)
        elif path == "root" or path.startswith("root/"):
            place, floor = self._root + _parts(path[5:]), len(self._root)
        else:
            place = self._base + _parts(path)
            floor = len(self._base) + (3 if path.startswith("again/") else 0)
        try:
            return self._walk(path, place, floor)
        except OSError as error:
            return gap_of(error, path)

    def _walk(self, path: str, place: Tuple[str, ...], floor: int) -> Union[Found, Gap]:
        storage, pending = self.storage, list(reversed(place))
        stack: List[Tuple[str, Node]] = []
        links: List[Tuple[str, str]] = []
        while pending:
            name = pending.pop()
            if name == "..":
                del stack[max(floor, len(stack) - 1):]
                continue
            folder = stack[-1][1] if stack else storage.top
            node = storage.child(folder, name) if storage.kind(folder) == "dir" else None
            if node is None:
                return self._missing(path, [part for part, _ in stack] + [name] + pending[::-1])
            if storage.kind(node) != "link":
                stack.append((name, node))
                continue
            target = storage.target(node)
            links.append(("/".join([part for part, _ in stack] + [name]), target))
            if len(links) > self._limits.links:
                return Gap("absent", path, "too many symbolic links")
            if target.startswith("/"):
                del stack[floor:]
            pending.extend(reversed(_parts(target)))
        return Found(tuple(name for name, _ in stack), stack[-1][1] if stack else storage.top, tuple(links))

    def _missing(self, path: str, place: List[str]) -> Gap:
        """Why a path is not there: the manifest may know, under this name or under the one its links lead to."""
        known = self.gaps.get(path) or self.gaps.get("/".join(["root"] + place[len(self._root):]))
        return Gap(known.kind, path, known.reason) if known else Gap("absent", path, "not in the input")

    def _folder(self, path: str) -> Union[List[Node], Gap]:
        known = self._folders.get(path)
        if known is None:
            found = self.find(path) if path else Found((), self._base_node(), ())
            known = self._folders[path] = found if isinstance(found, Gap) else [found.node]
        return known

    def _base_node(self) -> Node:
        node = self.storage.top
        for part in self._base:
            node = self.storage.child(node, part)
        return node

    def _match(self, folders: List[str], parts: List[str]) -> List[str]:
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            matcher = _matcher(part)
            paths = []
            for folder in folders:
                if matcher is None:
                    names: Iterable[str] = (part,)
                else:
                    names = [name for name in self.names(folder) if matcher(name)]
                paths += [folder + "/" + name if folder else name for name in names]
            if last:
                return [path for path in paths if matcher is not None or not isinstance(self.find(path), Gap)]
            folders = paths
        return folders


def _printable(name: str) -> str:
    """A file's name without the lone surrogates that stand for bytes outside UTF-8; such a file is listed and not found."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _parts(path: str) -> Tuple[str, ...]:
    return tuple(part for part in path.split("/") if part not in ("", "."))


@lru_cache(maxsize=1024)
def _matcher(part: str) -> Optional[Callable[[str], Any]]:
    if not any(sign in part for sign in "*?["):
        return None
    compiled: Pattern[str] = re.compile(fnmatch.translate(part))
    return compiled.match


_BRACES = re.compile(r"\{([^{}]*)\}")


def braces(pattern: str) -> List[str]:
    """``a/{b,c}`` as ``a/b`` and ``a/c``; braces do not nest."""
    match = _BRACES.search(pattern)
    if not match:
        return [pattern]
    return [plain for choice in match[1].split(",") for plain in braces(pattern[: match.start()] + choice + pattern[match.end() :])]


_DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> List[Tuple[int, int, str]]:
    """A sort key that puts ``cpu2`` before ``cpu10``."""
    return [(0, int(part), part) if part.isdigit() else (1, 0, part) for part in _DIGITS.split(text) if part]
