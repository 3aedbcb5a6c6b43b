"""Which folders of an input are a host's: a bundle, a root with ``proc`` or ``sys``, a foreign layout an adapter knows."""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from numaaudit.bundle.adapters import Adapter
from numaaudit.bundle.archive import MANIFEST
from numaaudit.bundle.manifest import FORMAT, Manifest
from numaaudit.bundle.tree import Gap, Node, Storage
from numaaudit.core.plugins import discover

MAX_DEPTH = 5  # folders between the input's top and a host's
MAX_FOLDERS = 20_000  # looked into before giving up

_ROOT_FOLDERS = ("proc", "sys")
_BUNDLE_FOLDERS = ("root", "commands", "logs")
_ANY_FORMAT = FORMAT.rpartition("/")[0].encode() + b"/"

Place = Tuple[str, ...]


class Layout(NamedTuple):
    """One host: ``base`` is its folder in the storage, ``root`` where the copy of its root is; ``kind`` an adapter's name."""

    base: Place
    root: Place
    manifest: Optional[Manifest] = None
    kind: Optional[str] = None
    adapter: Optional[Adapter] = None

    @property
    def name(self) -> str:
        return "/".join(self.base) or (self.manifest.hostname if self.manifest else "")

    def answers_to(self, host: str) -> bool:
        return host in (self.name, self.name.rpartition("/")[2], self.manifest.hostname if self.manifest else None)

    def bundle_path(self, name: str) -> str:
        """Where the tree has the member ``name`` of the input."""
        place = tuple(part for part in name.split("/") if part not in ("", "."))
        if place[: len(self.root)] == self.root:
            return "/".join(("root",) + place[len(self.root) :])
        return "/".join(place[len(self.base) :] if place[: len(self.base)] == self.base else place)


def find_layouts(storage: Storage, label: str) -> List[Layout]:
    """The hosts of an input, all at the shallowest level that has any. InputError for a bundle made by a newer numaaudit."""
    adapters = discover("numaaudit.bundle.adapters", "ADAPTER", Adapter)
    level: List[Tuple[Place, Node]] = [((), storage.top)]
    looked_into = 0
    for _ in range(MAX_DEPTH + 1):
        found = [layout for place, folder in level for layout in _layout(storage, place, folder, adapters, label)]
        if found:
            return found
        looked_into += len(level)
        level = [child for place, folder in level for child in _folders(storage, place, folder)]
        if looked_into + len(level) > MAX_FOLDERS:
            break
    return []


def _layout(storage: Storage, place: Place, folder: Node, adapters: Dict[str, Adapter], label: str) -> Iterator[Layout]:
    """The host whose folder this is, if it is one's. A host's root may itself hold ``root`` and ``logs``."""
    manifest = _manifest(storage, folder, label)
    if manifest is not None:
        yield Layout(place, place + ("root",), manifest)
        return
    for kind, adapter in adapters.items():
        if _is_folder(storage, folder, adapter.marker):
            yield Layout(place, place, kind=kind, adapter=adapter)
            return
    if any(_is_folder(storage, folder, name) for name in _ROOT_FOLDERS):
        yield Layout(place, place)
    elif any(_is_folder(storage, folder, name) for name in _BUNDLE_FOLDERS):
        yield Layout(place, place + ("root",))


def _manifest(storage: Storage, folder: Node, label: str) -> Optional[Manifest]:
    """The manifest in a folder; other programs' files of that name are none."""
    try:
        found = storage.child(folder, MANIFEST)
        data = storage.read(found) if found is not None and storage.kind(found) == "file" else b""
    except OSError:
        return None
    return Manifest.from_json(data, "%s: %s" % (label, MANIFEST)) if _ANY_FORMAT in data[:512] else None


def _is_folder(storage: Storage, folder: Node, name: str) -> bool:
    try:
        child = storage.child(folder, name)
        return child is not None and storage.kind(child) == "dir"
    except OSError:
        return False


def _folders(storage: Storage, place: Place, folder: Node) -> Iterator[Tuple[Place, Node]]:
    try:
        names = sorted(storage.names(folder))
    except OSError:
        return
    for name in names:
        if _is_folder(storage, folder, name):
            yield place + (name,), storage.child(folder, name)


def aliases(storage: Storage, layout: Layout) -> Dict[str, str]:
    """Bundle path to place in the storage of the files an adapter finds under other names; of two the first in order."""
    found: Dict[str, str] = {}
    if layout.adapter is None:
        return found
    top = storage.top
    for part in layout.base + (layout.adapter.marker,):
        top = storage.child(top, part)
    for path in _files(storage, (), top):
        ours = layout.adapter.bundle_path("/".join(path))
        if ours is not None:
            found.setdefault(ours, "/".join(layout.base + (layout.adapter.marker,) + path))
    return found


def _files(storage: Storage, place: Place, folder: Node) -> Iterator[Place]:
    """The files at most three folders below, without following a link."""
    try:
        names = sorted(storage.names(folder))
    except OSError:
        return
    for name in names:
        child = storage.child(folder, name)
        kind = storage.kind(child) if child is not None else "other"
        if kind == "file":
            yield place + (name,)
        elif kind == "dir" and len(place) < 3:
            yield from _files(storage, place + (name,), child)


def refusals(layout: Layout, refused: Tuple[Gap, ...]) -> Tuple[Gap, ...]:
    """The gaps of members that were left out, by their bundle path."""
    return tuple(gap._replace(path=layout.bundle_path(gap.path)) for gap in refused)
