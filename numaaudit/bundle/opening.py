"""Open any input as a Tree: a bundle, a directory, a foreign archive, one text or XML file, standard input."""

from __future__ import annotations

import io
import os
import posixpath
from typing import IO, List, NamedTuple, Optional, Tuple

from numaaudit.bundle.archive import read_archive
from numaaudit.bundle.compression import Unpacked, open_raw, unpack
from numaaudit.bundle.layout import Layout, aliases, find_layouts
from numaaudit.bundle.limits import LIMITS, Limits, to_raise
from numaaudit.bundle.manifest import MANIFEST, Manifest
from numaaudit.bundle.plain_text import is_text, utf8
from numaaudit.bundle.redact import redact
from numaaudit.bundle.tar import BLOCK_BYTES, is_tar
from numaaudit.bundle.tree import Folder, Gap, Leaf, Members, Storage, Tree
from numaaudit.core.errors import InputError, LimitError, shown
from numaaudit.core.units import format_bytes

STDIN = "standard input"
HINT = "name a bundle, a directory that holds proc or sys, a sosreport, or the text or XML a tool printed"

_LOOKED_AT_BYTES = 1 << 16
_XML_STARTS = (b"<?xml", b"<!DOCTYPE topology", b"<!--", b"<topology", b"<system")
_OTHER_ARCHIVES = {b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7z", b"\x1f\x9d": "compress", b"Rar!": "rar"}


class Opened(NamedTuple):
    """``kind``: bundle, archive, directory, text, xml or an adapter's name; ``sha256`` is of the input file's bytes.

    ``gaps`` are the members that were left out, and manifest.json where there is none.
    """

    tree: Tree
    kind: str
    sha256: Optional[str]
    manifest: Optional[Manifest]
    gaps: Tuple[Gap, ...]


class Source(NamedTuple):
    """An input before a host is looked for in it; ``kind``: archive, directory, text or xml."""

    storage: Storage
    kind: str
    sha256: Optional[str] = None
    refused: Tuple[Gap, ...] = ()


def open_input(path: str, *, host: Optional[str] = None, limits: Limits = LIMITS, stdin: Optional[bytes] = None) -> Opened:
    """Open an input (``-`` is the bytes of ``stdin``). InputError in one line if there is no evidence in it.

    ``host`` picks one where an input holds several, by its folder's name or host name.
    """
    label = STDIN if path == "-" else path
    source = open_source(path, limits, stdin)
    if source.kind in ("text", "xml"):
        return Opened(Tree(source.storage, redact=redact, limits=limits), source.kind, source.sha256, None, ())
    layout = _pick(find_layouts(source.storage, label, limits), host, label)
    gaps = tuple(gap._replace(path=layout.bundle_path(gap.path)) for gap in source.refused)
    known = {gap.path: gap for gap in gaps}
    if layout.manifest is not None:
        known.update(layout.manifest.gaps())
    else:
        gaps += (Gap("absent", MANIFEST, "times, selection and privileges of the collection are not known"),)
    tree = Tree(
        source.storage, root="/".join(layout.root), base="/".join(layout.base), aliases=aliases(source.storage, layout),
        gaps=known, redact=redact, limits=limits,
    )  # fmt: skip
    kind = "bundle" if layout.manifest is not None else layout.kind or source.kind
    return Opened(tree, kind, source.sha256, layout.manifest, gaps)


def open_source(path: str, limits: Limits = LIMITS, stdin: Optional[bytes] = None) -> Source:
    """What an input is kept in, whichever host it is of."""
    if path == "-":
        return _unpacked(io.BytesIO(stdin or b""), STDIN, "stdin", limits)
    if os.path.isdir(path):
        try:
            return Source(Folder(path, limits), "directory")
        except OSError as error:
            raise InputError("%s: %s" % (path, error.strerror), HINT) from None
    return _unpacked(open_raw(path), path, posixpath.basename(path), limits)


def _unpacked(raw: IO[bytes], label: str, name: str, limits: Limits) -> Source:
    unpacked = unpack(raw, label, limits)
    try:
        unpacked.file.seek(0)
        first = unpacked.file.read(_LOOKED_AT_BYTES)
        if is_tar(first[:BLOCK_BYTES]):
            archive = read_archive(unpacked.file, unpacked.size, label, limits)
            return Source(archive.members, "archive", unpacked.sha256, archive.refused)
        _refuse_what_is_no_text(first, label)
        return _pasted(unpacked, label, name, limits)
    except InputError:
        unpacked.file.close()
        raise


def _refuse_what_is_no_text(first: bytes, label: str) -> None:
    if not first:
        raise InputError("%s: empty" % label, HINT)
    if not any(first):
        raise InputError("%s: zero bytes only: an empty archive or a failed copy" % label, HINT)
    for magic, name in _OTHER_ARCHIVES.items():
        if first.startswith(magic):
            raise InputError("%s: a %s archive" % (label, name), "unpack it and name the directory")
    if not is_text(first):
        raise InputError("%s: neither an archive nor a text" % label, HINT)


def _pasted(unpacked: Unpacked, label: str, name: str, limits: Limits) -> Source:
    """One text as ``pasted/NAME``, in UTF-8."""
    if unpacked.size > limits.member_bytes:
        most = format_bytes(limits.member_bytes)
        raise LimitError("%s: a text larger than %s" % (label, most), to_raise("member_bytes"))
    with unpacked.file as file:
        file.seek(0)
        text = utf8(file.read())
    name = name[: -len(".gz")] if unpacked.packing and name.endswith(".gz") else name
    members = Members()
    members.add("pasted/" + name, Leaf(name, lambda: text))
    return Source(members, "xml" if text.lstrip().startswith(_XML_STARTS) else "text", unpacked.sha256)


def _pick(layouts: List[Layout], host: Optional[str], label: str) -> Layout:
    if not layouts:
        raise InputError("%s: no evidence: no folder in it holds proc, sys, root, commands or logs" % label, HINT)
    chosen = [layout for layout in layouts if host is None or layout.answers_to(host)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(shown(layout.name) or "one without a name" for layout in layouts[:20]) + (" ..." if len(layouts) > 20 else "")
    if host is None:
        raise InputError("%s: holds several hosts: %s" % (label, names), "pick one with --host NAME")
    raise InputError("%s: no host %s; it holds: %s" % (label, shown(host), names), "pick one with --host NAME")
