"""Is a bundle as it was written: every member against the manifest, which is what a signature covers."""

from __future__ import annotations

import errno
import hashlib
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from numaaudit.bundle.layout import Layout, find_layouts
from numaaudit.bundle.limits import LIMITS, Limits
from numaaudit.bundle.manifest import MANIFEST, SIGNATURE, SIGNATURE_START, Entry, Manifest
from numaaudit.bundle.opening import STDIN, open_source
from numaaudit.bundle.storage import Handle, Storage
from numaaudit.core.errors import InputError, shown
from numaaudit.core.units import KIB

SIGNATURE_BYTES = 64 * KIB  # that of a certificate with an RSA key of 16,384 bits takes 10 KiB
_NOT_LEFT = object()


class Verification(NamedTuple):
    """Paths of members, in the order of the manifest, then of the bundle; the bytes of the manifest and of its signature, if it has one."""

    damaged: Tuple[str, ...] = ()
    missing: Tuple[str, ...] = ()
    unlisted: Tuple[str, ...] = ()
    manifest: bytes = b""
    signature: bytes = b""

    @property
    def intact(self) -> bool:
        return not (self.damaged or self.missing or self.unlisted)

    @property
    def lines(self) -> List[str]:
        """What ``numaaudit verify`` prints where it is not asked whose signature it is."""
        if self.intact:
            return ["intact (%s)" % ("signature not checked: name who may sign with --allowed-signers" if self.signature else "unsigned")]
        kinds = (("damaged", self.damaged), ("missing", self.missing), ("not in the manifest", self.unlisted))
        return ["%s: %s" % (kind, shown(path)) for kind, paths in kinds for path in paths]


def verify_bundle(path: str, limits: Limits = LIMITS, stdin: Optional[bytes] = None) -> Verification:
    """Compare a bundle, packed or unpacked (``-``: packed in ``stdin``), with its manifest. InputError if it is none or cannot be read."""
    label = STDIN if path == "-" else path
    source = open_source(path, limits, stdin)
    layouts = find_layouts(source.storage, label, limits)
    if len(layouts) > 1:
        raise InputError("%s: holds several hosts" % label, "name the bundle of one")
    if not layouts or layouts[0].manifest is None:
        raise InputError("%s: no manifest.json to verify it against" % label, "name a bundle that numaaudit collected")
    found = _verified(source.storage, layouts[0])
    beside = _beside(source.storage, "/".join(layouts[0].base)) if source.kind == "archive" else ()
    return found._replace(unlisted=(*found.unlisted, *beside, *(gap.path for gap in source.refused)))


def _beside(storage: Storage, top: str) -> Iterator[str]:
    """The members of an archive outside of the folder that its bundle is in."""
    return (path for path, _ in storage.walk(storage.top) if top and not path.startswith(top + "/"))


def _verified(storage: Storage, layout: Layout) -> Verification:
    top = "/".join(layout.base)
    written = _read(storage, "%s/%s" % (top, MANIFEST))  # read once: what is verified is what was signed
    unlisted = {path: None for path, _ in storage.walk(storage.at(top))}  # an empty folder too: node9 would be a NUMA node
    signature, damaged = _signature(storage, top, unlisted)
    missing: List[str] = []
    unlisted.pop(MANIFEST, None)
    for entry in Manifest.from_json(written).entries:
        if not entry.sha256 and entry.link is None:
            continue  # an attempt that gave nothing
        handle = _at(storage, "%s/%s" % (top, entry.path))
        if handle is None:
            missing.append(entry.path)
        elif not (_taken(unlisted, _paths(storage, entry.path, handle)) and _is_as_written(storage, entry, handle)):
            damaged.append(entry.path)
    return Verification(tuple(damaged), tuple(missing), tuple(unlisted), written, signature)


def _signature(storage: Storage, top: str, unlisted: Dict[str, None]) -> Tuple[bytes, List[str]]:
    """The signature, empty if there is none; its path where it is something else."""
    if unlisted.pop(SIGNATURE, _NOT_LEFT) is _NOT_LEFT:
        return b"", []
    data = _read(storage, "%s/%s" % (top, SIGNATURE))
    whole = data.startswith(SIGNATURE_START) and len(data) <= SIGNATURE_BYTES
    return (data, []) if whole else (b"", [SIGNATURE])


def _read(storage: Storage, path: str) -> bytes:
    """The bytes of a file; none if it is no file, or cannot be read."""
    handle = _at(storage, path)
    try:
        return storage.read(handle) if handle is not None and storage.kind(handle) == "file" else b""
    except OSError:
        return b""


def _taken(unlisted: Dict[str, None], paths: Iterator[str]) -> bool:
    """Whether these members belong to no other entry. Were each read as often as a manifest names it, that could last for hours."""
    return all(unlisted.pop(path, _NOT_LEFT) is None for path in paths)


def _at(storage: Storage, path: str) -> Optional[Handle]:
    try:
        return storage.at(path)
    except OSError:
        return None


def _is_as_written(storage: Storage, entry: Entry, handle: Handle) -> bool:
    try:
        if entry.link is not None:
            return storage.kind(handle) == "link" and storage.target(handle) == entry.link
        if storage.kind(handle) != "dir":
            data = storage.read(handle)
            return (len(data), hashlib.sha256(data).hexdigest()) == (entry.size, entry.sha256)
        return directory_digest(storage, entry.path, handle) == (entry.size, entry.sha256)
    except OSError:
        return False


def directory_digest(storage: Storage, path: str, folder: Handle) -> Tuple[int, str]:
    """Bytes in all and the digest of a directory that is one entry, as manifest.Entry describes it."""
    size, lines = 0, []
    for below, handle in storage.walk(folder):
        if "\n" in below:
            raise OSError(errno.EINVAL, "a name that would be two lines")
        data = storage.read(handle)
        size += len(data)
        lines.append(("%s/%s" % (path, below), hashlib.sha256(data).hexdigest()))
    text = "".join("%s  %s\n" % (digest, name) for name, digest in sorted(lines))
    return size, hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _paths(storage: Storage, path: str, handle: Handle) -> Iterator[str]:
    """The members an entry stands for."""
    if storage.kind(handle) != "dir":
        yield path
        return
    for below, _ in storage.walk(handle):
        yield "%s/%s" % (path, below)
