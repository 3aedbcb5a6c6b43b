"""Tree: the one interface to evidence, whatever it is stored in.

Paths are those of a bundle: ``root/proc/1/status``, ``commands/lscpu.out``. A tree never raises for one file: what cannot
be had is a Gap. Links are data: they are followed inside the tree as chroot would (an absolute target starts at ``root/``,
``..`` stops there, 40 links at most) and never on the host that reads.
"""

from __future__ import annotations

import errno
import fnmatch
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from numaaudit.bundle.globs import matcher
from numaaudit.bundle.limits import LIMITS, Limits
from numaaudit.bundle.storage import Folder, Handle, Leaf, Link, Members, Slice, Storage, natural, parts_of, read_at

__all__ = [
    "File", "Folder", "Found", "Gap", "Handle", "Leaf", "Link", "Members", "Result", "Slice", "Storage", "Tree", "braces",
    "gap_of", "natural", "read_at",
]  # fmt: skip


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


def gap_of(error: OSError, path: str) -> Gap:
    """What an OSError means for evidence: refused, gone, cut or absent."""
    kinds = {errno.EACCES: "refused", errno.EPERM: "refused", errno.ESRCH: "gone", errno.EFBIG: "cut"}
    return Gap(kinds.get(error.errno or 0, "absent"), path, error.strerror or str(error))


class Found(NamedTuple):
    """A path followed to its end: its place in the storage and the links met on the way (path, target)."""

    place: Tuple[str, ...]
    handle: Handle
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
        self._root = parts_of(root)
        self._base = parts_of(base)
        self._redact = redact
        self._limits = limits
        self._folders: Dict[str, Union[Found, Gap]] = {}
        self._names: Dict[str, List[str]] = {}
        self._places_of: Dict[str, List[str]] = {}

    def get(self, path: str) -> Result:
        """The file at ``path``, links followed; a Gap if it cannot be had."""
        try:
            handle = self._entry(path)
            if handle is None:
                found = self.find(path)
                if isinstance(found, Gap):
                    return found
                handle = found.handle
            kind = self.storage.kind(handle)
            if kind != "file":
                return Gap("absent", path, "a directory" if kind == "dir" else "not a regular file")
            data = self.storage.read(handle)
        except OSError as error:
            return gap_of(error, path)
        return File(path, self._redact(path, data) if self._redact else data, self.storage.origin(handle))

    def text(self, path: str) -> Optional[str]:
        """The stripped text of a small file, or None."""
        found = self.get(path)
        return None if isinstance(found, Gap) else found.text.strip(" \t\r\n\0")

    def link(self, path: str) -> Union[str, Gap]:
        """The target text of the symbolic link at ``path``, which need not lead anywhere."""
        folder, _, name = path.rpartition("/")
        holder = self._folder(folder)
        if isinstance(holder, Gap):
            return Gap(holder.kind, path, holder.reason)
        try:
            handle = self.storage.child(holder.handle, name)
            if handle is None or self.storage.kind(handle) != "link":
                return self.gaps.get(path) or Gap("absent", path, "not a symbolic link" if handle is not None else "not in the input")
            return self.storage.target(handle)
        except OSError as error:
            return gap_of(error, path)

    def glob(self, pattern: str) -> List[str]:
        """Paths that match, in natural order: ``{a,b}`` alternatives, and ``* ? [a-z]`` inside one component.

        At the end of a component ``[0-9]*`` is a number, as the kernel's names have it: ``cpu[0-9]*`` is not ``cpu0x``.
        """
        plains = braces(pattern)
        found = [path for plain in plains for path in self._match(plain)]
        if len(plains) == 1 and not self.aliases:
            return found
        found += [path for path in self.aliases if any(fnmatch.fnmatchcase(path, plain) for plain in plains)]
        return sorted(set(found), key=natural)

    def names(self, path: str) -> List[str]:
        """The entries of a directory in natural order; empty if it is none."""
        known = self._names.get(path)
        if known is None:
            known = self._names[path] = self._listed(self._folder(path))
        return known

    def _listed(self, folder: Union[Found, Gap]) -> List[str]:
        if isinstance(folder, Gap):
            return []
        try:
            return sorted(self.storage.names(folder.handle), key=natural)
        except OSError:
            return []

    def find(self, path: str) -> Union[Found, Gap]:
        """Follow ``path`` to its end in the storage."""
        parent, _, name = path.rpartition("/")
        if parent and name not in _NO_NAMES and path not in self.aliases:
            folder = self._folder(parent)
            if isinstance(folder, Found):
                try:
                    handle = self.storage.child(folder.handle, name)
                    if handle is None:
                        return self._missing(path, [*folder.place, name])
                    if self.storage.kind(handle) != "link":
                        return Found(folder.place + (name,), handle, folder.links)
                except OSError as error:
                    return gap_of(error, path)
        return self._follow(path)

    def _entry(self, path: str) -> Optional[Handle]:
        """What is at ``path``, if its folder was looked up before and it is no link."""
        parent, _, name = path.rpartition("/")
        folder = self._folders.get(parent)
        if not isinstance(folder, Found) or name in _NO_NAMES or path in self.aliases:
            return None
        handle = self.storage.child(folder.handle, name)
        return None if handle is None or self.storage.kind(handle) == "link" else handle

    def _folder(self, path: str) -> Union[Found, Gap]:
        """The directory at ``path``; each is looked up once, in its parent."""
        known = self._folders.get(path)
        if known is None:
            known = self.find(path)
            if isinstance(known, Found) and self.storage.kind(known.handle) != "dir":
                known = Gap("absent", path, "not a directory")
            self._folders[path] = known
        return known

    def _follow(self, path: str) -> Union[Found, Gap]:
        real = self.aliases.get(path)
        if real is not None:
            place, floor = parts_of(real), len(self._base)
        elif path == "root" or path.startswith("root/"):
            place, floor = self._root + parts_of(path[5:]), len(self._root)
        else:
            place = self._base + parts_of(path)
            floor = len(self._base) + (3 if path.startswith("again/") else 0)
        try:
            return self._walk(path, place, floor)
        except OSError as error:
            return gap_of(error, path)

    def _walk(self, path: str, place: Tuple[str, ...], floor: int) -> Union[Found, Gap]:
        storage, pending = self.storage, list(reversed(place))
        stack: List[Tuple[str, Handle]] = []
        links: List[Tuple[str, str]] = []
        while pending:
            name = pending.pop()
            if name == "..":
                del stack[max(floor, len(stack) - 1) :]
                continue
            folder = stack[-1][1] if stack else storage.top
            handle = storage.child(folder, name) if storage.kind(folder) == "dir" else None
            if handle is None:
                return self._missing(path, [part for part, _ in stack] + [name] + pending[::-1])
            if storage.kind(handle) != "link":
                stack.append((name, handle))
                continue
            target = storage.target(handle)
            links.append(("/".join([part for part, _ in stack] + [name]), target))
            if len(links) > self._limits.links:
                return Gap("absent", path, "too many symbolic links")
            if target.startswith("/"):
                del stack[floor:]
            pending.extend(reversed(parts_of(target)))
        return Found(tuple(name for name, _ in stack), stack[-1][1] if stack else storage.top, tuple(links))

    def _missing(self, path: str, place: List[str]) -> Gap:
        """Why a path is not there: the manifest may know, under this name or under the one its links lead to."""
        known = self.gaps.get(path) or self.gaps.get("/".join(["root"] + place[len(self._root) :]))
        return Gap(known.kind, path, known.reason) if known else Gap("absent", path, "not in the input")

    def _match(self, pattern: str) -> List[str]:
        """The paths that match a pattern without braces, in natural order."""
        above, _, last = pattern.rpartition("/")
        matches = matcher(last)
        if matches is not None:
            return self._children(above, matches)
        return [_below(folder, last) for folder in self._places(above) if self._has(folder, last)]

    def _places(self, pattern: str) -> List[str]:
        """The paths that match the pattern of a directory; several patterns of files have it in common."""
        known = self._places_of.get(pattern)
        if known is None:
            above, _, last = pattern.rpartition("/")
            matches = matcher(last)
            if matches is not None:
                known = self._children(above, matches)
            else:  # a plain name is not looked up
                known = [_below(folder, last) for folder in self._places(above)] if pattern else [""]
            self._places_of[pattern] = known
        return known

    def _children(self, above: str, matches: Callable[[str], Any]) -> List[str]:
        """Below each folder the names that match."""
        return [_below(folder, name) for folder in self._places(above) for name in self.names(folder) if matches(name)]

    def _has(self, folder: str, name: str) -> bool:
        """Whether there is an entry of that name which leads somewhere."""
        holder = self._folder(folder)
        if isinstance(holder, Gap):
            return False
        try:
            handle = None if name in _NO_NAMES else self.storage.child(holder.handle, name)
            if name in _NO_NAMES or (handle is not None and self.storage.kind(handle) == "link"):
                return isinstance(self.find(_below(folder, name)), Found)
        except OSError:
            return False
        return handle is not None


_NO_NAMES = ("", ".", "..")


def _below(folder: str, name: str) -> str:
    return folder + "/" + name if folder else name


_BRACES = re.compile(r"\{([^{}]*)\}")


def braces(pattern: str) -> List[str]:
    """``a/{b,c}`` as ``a/b`` and ``a/c``; braces do not nest."""
    match = _BRACES.search(pattern)
    if not match:
        return [pattern]
    return [plain for choice in match[1].split(",") for plain in braces(pattern[: match.start()] + choice + pattern[match.end() :])]
