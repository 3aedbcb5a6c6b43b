"""Which folders of an input are a host's: a bundle, a root with ``proc`` or ``sys``, a foreign layout an adapter knows."""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from numaaudit.bundle.adapters import Adapter
from numaaudit.bundle.limits import LIMITS, Limits, to_raise
from numaaudit.bundle.manifest import ANY_FORMAT, MANIFEST, Manifest
from numaaudit.bundle.storage import Handle, Storage, parts_of
from numaaudit.core.errors import LimitError
from numaaudit.core.plugins import discover
from numaaudit.core.units import format_bytes

MAX_DEPTH = 5  # folders between the input's top and a host's
MAX_FOLDERS = 20_000  # looked into before giving up

_ROOT_FOLDERS = ("proc", "sys")
_BUNDLE_FOLDERS = ("root", "commands", "logs")

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
        place = parts_of(name)
        if place[: len(self.root)] == self.root:
            return "/".join(("root",) + place[len(self.root) :])
        return "/".join(place[len(self.base) :] if place[: len(self.base)] == self.base else place)


def find_layouts(storage: Storage, label: str, limits: Limits = LIMITS) -> List[Layout]:
    """The hosts of an input, all at the shallowest level that has any. InputError for a manifest that is damaged or newer."""
    return _Finder(storage, label, limits).find()


class _Finder:
    def __init__(self, storage: Storage, label: str, limits: Limits) -> None:
        self._storage = storage
        self._label = label
        self._limits = limits
        self._adapters = discover("numaaudit.bundle.adapters", "ADAPTER", Adapter)

    def find(self) -> List[Layout]:
        level: List[Tuple[Place, Handle]] = [((), self._storage.top)]
        looked_into = 0
        for _ in range(MAX_DEPTH + 1):
            found = [layout for layout in (self._layout(place, folder) for place, folder in level) if layout is not None]
            looked_into += len(level)
            if found or looked_into > MAX_FOLDERS:
                return found
            level = [below for place, folder in level for below in self._below(place, folder)]
        return []

    def _layout(self, place: Place, folder: Handle) -> Optional[Layout]:
        """The host whose folder this is. A host's root may itself hold ``root``, ``commands`` and ``logs``."""
        manifest = self._manifest(folder)
        if manifest is not None:
            return Layout(place, place + ("root",), manifest)
        for kind, adapter in self._adapters.items():
            if self._is_folder(folder, adapter.marker):
                return Layout(place, place, kind=kind, adapter=adapter)
        if any(self._is_folder(folder, name) for name in _ROOT_FOLDERS):
            return Layout(place, place)
        if any(self._is_folder(folder, name) for name in _BUNDLE_FOLDERS):
            return Layout(place, place + ("root",))
        return None

    def _manifest(self, folder: Handle) -> Optional[Manifest]:
        """The manifest in a folder; other programs have files of that name."""
        try:
            found = self._storage.child(folder, MANIFEST)
            data = self._storage.read(found) if found is not None and self._storage.kind(found) == "file" else b""
        except OSError:
            return None
        if ANY_FORMAT not in data[:512]:
            return None
        if len(data) > self._limits.document_bytes:
            most = format_bytes(self._limits.document_bytes)
            raise LimitError("%s: %s larger than %s" % (self._label, MANIFEST, most), to_raise("document_bytes"))
        return Manifest.from_json(data, "%s: %s" % (self._label, MANIFEST))

    def _is_folder(self, folder: Handle, name: str) -> bool:
        try:
            child = self._storage.child(folder, name)
            return child is not None and self._storage.kind(child) == "dir"
        except OSError:
            return False

    def _below(self, place: Place, folder: Handle) -> Iterator[Tuple[Place, Handle]]:
        try:
            names = sorted(self._storage.names(folder))
        except OSError:
            return
        for name in names:
            if self._is_folder(folder, name):
                yield place + (name,), self._storage.child(folder, name)


def aliases(storage: Storage, layout: Layout) -> Dict[str, str]:
    """Bundle path to place in the storage of the files an adapter finds under other names; of two the first in order."""
    found: Dict[str, str] = {}
    if layout.adapter is None:
        return found
    top = "/".join(layout.base + (layout.adapter.marker,))
    for path, handle in storage.walk(storage.at(top)):
        ours = layout.adapter.bundle_path(path) if storage.kind(handle) == "file" else None
        if ours is not None:
            found.setdefault(ours, "%s/%s" % (top, path))
    return found
