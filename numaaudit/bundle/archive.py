"""Archives of evidence: which members of a tar are taken, and how a bundle is written."""

from __future__ import annotations

import errno
import io
import os
import weakref
from typing import IO, Any, Dict, List, NamedTuple, Optional, Tuple, Union

from numaaudit.bundle.compression import compressor
from numaaudit.bundle.limits import LIMITS, Limits, to_raise
from numaaudit.bundle.manifest import ANY_FORMAT, MANIFEST, SIGNATURE, Manifest
from numaaudit.bundle.new_file import new_file
from numaaudit.bundle.storage import Leaf, Link, Members, Slice, parts_of
from numaaudit.bundle.tar import (
    BLOCK_BYTES,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    END,
    FIFO,
    FILE,
    FOLDER,
    HARD_LINK,
    PAX_SPARSE,
    SPARSE,
    SYMLINK,
    Header,
    Read,
    headers,
    member,
)
from numaaudit.bundle.tree import Gap
from numaaudit.core.errors import InputError, LimitError, shown
from numaaudit.core.units import format_bytes

_TAKEN = frozenset((FILE, HARD_LINK, SYMLINK, FOLDER))
_KINDS = {
    HARD_LINK: "a hard link", CHARACTER_DEVICE: "a character device", BLOCK_DEVICE: "a block device", FIFO: "a FIFO",
    SPARSE: "a sparse file", PAX_SPARSE: "a sparse file",
}  # fmt: skip


class Archive(NamedTuple):
    """``refused`` says which members were left out, and why; ``ours``: manifest.json is the first member."""

    members: Members
    refused: Tuple[Gap, ...]
    ours: bool


def read_archive(file: IO[bytes], size: int, label: str, limits: Limits = LIMITS) -> Archive:
    """Index a tar archive. InputError or LimitError (one line that names the member) if it is cut, damaged or hostile.

    In a bundle of ours nothing is out of place; of a foreign archive the members that cannot be evidence are left out.
    """
    read = _Reader(file).read
    members = Members()
    refused: List[Gap] = []
    ours = False
    for number, header in enumerate(headers(read, size, label, limits)):
        if number == 0:
            ours = header.name == MANIFEST and ANY_FORMAT in read(header.offset, min(header.size, BLOCK_BYTES))
        if max(number, members.num_folders) >= limits.members:
            raise LimitError("%s: more than %d members" % (label, limits.members), to_raise("members"))
        objection = _objection(header, ours, limits) or _add(members, header, read)
        if objection is None:
            continue
        if ours:
            error = LimitError if objection.kind == "cut" else InputError
            raise error("%s: member %s: %s" % (label, shown(header.name), objection.reason))
        refused.append(objection)
    return Archive(members, tuple(refused), ours)


class _Reader:
    """Random access to an open file, which is closed with the last member that refers to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        weakref.finalize(self, file.close)

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) != size:
            raise OSError(errno.EIO, "the archive was cut while it was read")
        return data


def _objection(header: Header, ours: bool, limits: Limits) -> Optional[Gap]:
    """Why a member is not taken, or None."""
    name, kind = header.name, header.kind
    if max(len(name), len(header.target)) > limits.name_bytes:
        return Gap("cut", name[:200] + "...", "a name longer than %d bytes (--limit name_bytes=N)" % limits.name_bytes)
    if kind not in _TAKEN or (ours and kind == HARD_LINK):
        return Gap("unrecognised", name, _KINDS.get(kind, "an unknown type of member"))
    if header.size > limits.member_bytes:
        return Gap("cut", name, "larger than %s (--limit member_bytes=N)" % format_bytes(limits.member_bytes))
    if name.startswith("/"):
        return Gap("unrecognised", name, "an absolute name")
    if ".." in name and ".." in name.split("/"):
        return Gap("unrecognised", name, "a name with ..")
    if name.count("/") > limits.name_depth:
        return Gap("cut", name, "more than %d folders deep (--limit name_depth=N)" % limits.name_depth)
    return None


def _add(members: Members, header: Header, read: Read) -> Optional[Gap]:
    """Put a member in its place, or say why it has none."""
    name = header.name
    if not name.strip("./") and header.kind != FOLDER and not parts_of(name):
        return Gap("unrecognised", name, "no name")
    entry: Union[Slice, Link, None] = None
    if header.kind == FILE:
        entry = Slice(name, read, header.offset, header.size)
    elif header.kind == SYMLINK:
        entry = Link(header.target)
    elif header.kind == HARD_LINK:
        entry = members.at(header.target)
        if not isinstance(entry, (Slice, Link)):
            return Gap("absent", name, "a hard link to %s, which is not before it in the archive" % shown(header.target))
        if isinstance(entry, Slice):
            entry = entry._replace(name=name)
    if members.add(name, entry) or _same(members.at(name), entry, header.kind):
        return None
    return Gap("ambiguous", name, "the archive has two different members of this name")


def _same(one: object, other: object, kind: bytes) -> bool:
    """Whether a second member of one name changes nothing. A hard link has no bytes: comparing those of many could last for hours."""
    if isinstance(one, Slice) and isinstance(other, Slice):
        if one.offset == other.offset or kind == HARD_LINK:
            return one.offset == other.offset
        return one.size == other.size and one.load() == other.load()
    return isinstance(one, Link) and one == other


def write_bundle(target: str, manifest: Manifest, contents: Members, signature: bytes = b"") -> None:
    """Write a bundle: manifest.json, its signature if there is one, then every member in natural order; equal contents give equal bytes.

    The compression is told by the name: ``.tar`` none, ``.tar.bz2 .tar.xz .tar.zst``, anything else gzip. A file that is there
    is never replaced. It appears under its name whole, readable for its owner only, or not at all: CollectError.
    """
    with new_file(target) as file:
        _write(file, os.path.basename(target), manifest, contents, signature)


def packed_bundle(manifest: Manifest, contents: Members, signature: bytes = b"") -> bytes:
    """The bytes of what write_bundle writes to a ``.tar.gz``."""
    file = io.BytesIO()
    _write(file, "", manifest, contents, signature)
    return file.getvalue()


def _write(file: IO[bytes], name: str, manifest: Manifest, contents: Members, signature: bytes) -> None:
    with compressor(file, name) as packed, io.BufferedWriter(packed, 1 << 20) as tar:
        tar.write(member(MANIFEST, manifest.to_json()))
        if signature:
            tar.write(member(SIGNATURE, signature))
        for path, entry in contents.walk(contents.top):
            if path != MANIFEST:
                tar.write(_member(path, entry))
        tar.write(END)


def _member(path: str, entry: Union[Leaf, Slice, Link, Dict[str, Any]]) -> bytes:
    if isinstance(entry, Link):
        return member(path, kind=SYMLINK, target=entry.target)
    if isinstance(entry, dict):
        return member(path, kind=FOLDER)
    return member(path, entry.load())
