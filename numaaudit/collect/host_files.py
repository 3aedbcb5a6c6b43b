"""The files, links and devices of the host, read through a Tree in a child (collect/reader.py).

Bytes are kept at the real path and the links that lead there as links, so that the bundle is walked as the host is. Below
/proc the path asked for is kept instead: there the links (``mounts -> self/mounts``) lead to whoever reads.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, Union

from numaaudit.bundle.tree import Folder, Found, Gap, Tree, braces, gap_of
from numaaudit.collect.collector import NOT_HERE, Collector, Read
from numaaudit.collect.reader import Trying

_NO_FILE = "not a regular file"
_NOT_UTF_8 = "its name is not UTF-8"


def host_tree(root: str) -> Tree:
    """A host's root, live or recorded, as ``root/`` of a tree."""
    return Tree(Folder(root), root="")


def not_utf_8(tree: Tree, path: str) -> Optional[str]:
    """How far a path of the host goes before a name that is listed and cannot be opened, for it is not UTF-8; None for any other path."""
    parts = path.split("/") if "\\x" in path else []
    for depth, part in enumerate(parts):
        folder = "/".join(["root", *parts[:depth]])
        if "\\x" in part and part in tree.names(folder) and isinstance(tree.find("%s/%s" % (folder, part)), Gap):
            return "/".join(parts[: depth + 1])
    return None


class HostReader:
    """The work of reading host collectors: ``reader(name)`` gives Reads. Paths in it are those of the host, without ``/``."""

    def __init__(self, root: str, collectors: Mapping[str, Collector]) -> None:
        self._root = root
        self._tree = host_tree(root)
        self._collectors = collectors
        self._folders: Dict[str, Union[Found, Gap]] = {}
        self._seen: Set[str] = set()

    def __call__(self, name: str) -> Iterator[Any]:
        unit = self._collectors[name]
        for pattern in unit.files + unit.links + unit.devices:
            yield Trying(pattern)
            for path in self._paths(unit, pattern):
                for found in self._device(path) if pattern in unit.devices else self._named(path, pattern in unit.links):
                    if not is_glob(pattern) or _is_known(found):
                        yield found._replace(collector=name)

    def in_cgroup(self, folder: str) -> Iterator[Any]:
        """The work of reading one cgroup directory; which files it has is up to the kernel and its parent."""
        yield Trying(folder)
        unnamed = not_utf_8(self._tree, folder)
        if unnamed:
            yield Read("", unnamed, "absent", reason=_NOT_UTF_8)
            return
        for name, unit in self._collectors.items():
            for path in ("%s/%s" % (folder, plain) for pattern in unit.files for plain in braces(pattern)):
                yield from (found._replace(collector=name) for found in self._entry(path, False) if _is_known(found))

    def _paths(self, unit: Collector, pattern: str) -> Sequence[str]:
        paths = [path for plain in braces(pattern) for path in self._matches(plain)]
        return unit.only_if(self._tree, paths) if unit.only_if else paths

    def _matches(self, plain: str) -> List[str]:
        """What a glob matches. A last part without ``*`` is not looked up here: reading it tells whether it is there."""
        folder, _, name = plain.rpartition("/")
        if is_glob(name):
            return [path[5:] for path in self._tree.glob("root/" + plain)]
        return ["%s/%s" % (path[5:], name) for path in (self._tree.glob("root/" + folder) if is_glob(folder) else ["root/" + folder])]

    def _named(self, path: str, as_link: bool) -> Iterator[Read]:
        unnamed = not_utf_8(self._tree, path)
        if unnamed:
            yield Read("", unnamed, "absent", reason=_NOT_UTF_8)
        else:
            yield from self._entry(path, as_link)

    def _entry(self, path: str, as_link: bool) -> Iterator[Read]:
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            self._folders[folder] = self._tree.find("root/" + folder)
        found = self._folders[folder]
        if isinstance(found, Gap):
            yield Read("", path, found.kind, reason=NOT_HERE if found.kind == "absent" else found.reason)
            return
        try:
            handle = self._tree.storage.child(found.handle, name)
            kind = None if handle is None else self._tree.storage.kind(handle)
        except OSError as error:
            gap = gap_of(error, path)
            yield Read("", path, gap.kind, reason=gap.reason)
            return
        if kind == "link" and as_link:
            yield from self._leading(path, found.links)
            yield Read("", "/".join(found.place + (name,)), link=self._tree.storage.target(handle))
        elif kind == "link":
            yield from self._behind_link(path)
        elif kind == "file":
            yield from self._file(path, Found(found.place + (name,), handle, found.links))
        elif kind != "dir":
            yield Read("", path, "absent", reason=NOT_HERE if kind is None else _NO_FILE)

    def _behind_link(self, path: str) -> Iterator[Read]:
        found = self._tree.find("root/" + path)
        if isinstance(found, Gap):
            yield Read("", path, found.kind, reason=found.reason)
        elif self._tree.storage.kind(found.handle) == "file":
            yield from self._file(path, found)
        elif self._tree.storage.kind(found.handle) == "other":
            yield Read("", path, "absent", reason=_NO_FILE)

    def _file(self, path: str, found: Found) -> Iterator[Read]:
        real = path if path.startswith("proc/") else "/".join(found.place)
        if real in self._seen:
            return
        self._seen.add(real)
        yield from self._leading(path, found.links)
        began = time.perf_counter()
        try:
            data = self._tree.storage.read(found.handle)
        except OSError as error:
            gap = gap_of(error, real)
            yield Read("", real, gap.kind, reason=gap.reason)
            return
        yield Read("", real, "ok", data, None, "", (time.perf_counter() - began) * 1000)

    def _leading(self, path: str, links: Sequence[Tuple[str, str]]) -> Iterator[Read]:
        """The links met on the way to a path, once each."""
        for place, target in () if path.startswith("proc/") else links:
            if place not in self._seen:
                self._seen.add(place)
                yield Read("", place, link=target)

    def _device(self, path: str) -> Iterator[Read]:
        """A device node as an empty file; its numbers go into the manifest, where the name may differ from the host's."""
        try:
            status = os.lstat(os.path.join(self._root, path))
        except OSError as error:
            reason = _NOT_UTF_8 if not_utf_8(self._tree, path) else error.strerror or ""
            yield Read("", path, gap_of(error, path).kind, reason=reason)
            return
        if stat.S_ISCHR(status.st_mode):
            yield Read("", path, data=b"", reason="character device %d:%d" % (os.major(status.st_rdev), os.minor(status.st_rdev)))
        elif stat.S_ISREG(status.st_mode):
            yield Read("", path, data=b"")


def _is_known(read: Read) -> bool:
    """Whether there is anything of that name: what a pattern does not match on this host is no gap."""
    return read.outcome != "absent" or read.reason in (_NO_FILE, _NOT_UTF_8)


def is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in "*?[")
