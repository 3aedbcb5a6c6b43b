"""Tar archives: an index of what is where, made in one pass, and the writer of bundles.

The reader is the security boundary and the hot path, so it is our own. It knows ustar, GNU long names and pax ``path``,
``linkpath`` and ``size`` (POSIX.1-2001 pax(1); tar(5)), verifies every checksum, reads no byte of a file before it is
asked for, and takes an archive without its end for what it is: cut.
"""

from __future__ import annotations

import errno
import zlib
from typing import IO, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from numaaudit.bundle.compression import AGAIN
from numaaudit.bundle.limits import LIMITS, Limits
from numaaudit.bundle.manifest import FORMAT
from numaaudit.bundle.tree import Gap, Link, Members, Slice
from numaaudit.core.errors import InputError, LimitError
from numaaudit.core.units import MIB, format_bytes

MANIFEST = "manifest.json"
BLOCK_BYTES = 512
EXTENDED_BYTES = 1 * MIB  # of one extended header; access control lists and the like are in there too
ALL_EXTENDED_BYTES = 64 * MIB

_ZERO = bytes(BLOCK_BYTES)
_FILE, _HARD_LINK, _SYMLINK, _FOLDER, _SPARSE = b"0", b"1", b"2", b"5", b"S"
_WITHOUT_BYTES = frozenset((_HARD_LINK, _SYMLINK, b"3", b"4", _FOLDER, b"6"))
_KINDS = {b"3": "a character device", b"4": "a block device", b"6": "a FIFO", _SPARSE: "a sparse file"}


class Archive(NamedTuple):
    """``refused`` says which members were left out, and why; ``ours``: manifest.json is the first member."""

    members: Members
    refused: Tuple[Gap, ...]
    ours: bool


class Header(NamedTuple):
    """One member; ``kind`` is its type flag, ``offset`` that of its ``size`` bytes."""

    name: str
    kind: bytes
    target: str
    offset: int
    size: int


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
            ours = header.name == MANIFEST and FORMAT.encode() in read(header.offset, min(header.size, BLOCK_BYTES))
        if max(number, members.num_folders) >= limits.members:
            raise LimitError("%s: more than %d members" % (label, limits.members), "if that is right: --limit members=N")
        objection = _objection(header, ours, limits) or _add(members, header, read)
        if objection is None:
            continue
        if ours:
            raise (LimitError if objection.kind == "cut" else InputError)("%s: member %s: %s" % (label, header.name, objection.reason))
        refused.append(objection)
    return Archive(members, tuple(refused), ours)


def is_tar(first: bytes) -> bool:
    """Whether a file that starts with these bytes is a tar archive: it starts with a header."""
    return len(first) >= BLOCK_BYTES and any(first[:BLOCK_BYTES]) and _is_header(first[:BLOCK_BYTES])


class _Reader:
    """Random access to an open file, which is closed with the last member that refers to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) != size:
            raise OSError(errno.EIO, "the archive was cut while it was read")
        return data

    def __del__(self) -> None:
        self._file.close()


def _objection(header: Header, ours: bool, limits: Limits) -> Optional[Gap]:
    """Why a member is not taken, or None."""
    name = header.name
    if header.size > limits.member_bytes:
        return Gap("cut", name, "larger than %s (--limit member_bytes=N)" % format_bytes(limits.member_bytes))
    if header.kind not in (_FILE, _FOLDER, _SYMLINK) and (ours or header.kind != _HARD_LINK):
        return Gap("unrecognised", name, _KINDS.get(header.kind, "a hard link" if header.kind == _HARD_LINK else "an unknown type of member"))
    if name.startswith("/"):
        return Gap("unrecognised", name, "an absolute name")
    if ".." in name and ".." in name.split("/"):
        return Gap("unrecognised", name, "a name with ..")
    if name.count("/") > limits.name_depth:
        return Gap("cut", name, "more than %d folders deep (--limit name_depth=N)" % limits.name_depth)
    return None


def _add(members: Members, header: Header, read: Callable[[int, int], bytes]) -> Optional[Gap]:
    """Put a member in its place, or say why it has none."""
    name = header.name
    entry: Union[Slice, Link, None] = None
    if header.kind == _FILE:
        entry = Slice(name, read, header.offset, header.size)
    elif header.kind == _SYMLINK:
        entry = Link(header.target)
    elif header.kind == _HARD_LINK:
        entry = members.entry(header.target)
        if not isinstance(entry, (Slice, Link)):
            return Gap("absent", name, "a hard link to %s, which is not before it in the archive" % header.target)
        if isinstance(entry, Slice):
            entry = entry._replace(name=name)
    if members.add(name, entry) or _same(members.entry(name), entry):
        return None
    return Gap("ambiguous", name, "the archive has two different members of this name")


def _same(one: object, other: object) -> bool:
    if isinstance(one, Slice) and isinstance(other, Slice):
        return one.size == other.size and one.load() == other.load()
    return isinstance(one, Link) and one == other


def headers(read: Callable[[int, int], bytes], size: int, label: str, limits: Limits = LIMITS) -> Iterator[Header]:
    """The members of an archive of ``size`` bytes in their order."""
    position, all_extended = 0, 0
    extended: Dict[str, bytes] = {}
    last = "its start"
    while True:
        if position + BLOCK_BYTES > size:
            raise InputError("%s: cut after %s: the end of the archive is missing" % (label, last), AGAIN)
        block = read(position, BLOCK_BYTES)
        if block == _ZERO:
            return
        if not _is_header(block):
            raise InputError("%s: damaged at byte %d, after %s: not a tar header" % (label, position, last), AGAIN)
        try:
            header = _header(block, position + BLOCK_BYTES, extended)
        except ValueError as error:
            raise InputError("%s: damaged at byte %d, after %s: %s" % (label, position, last, error), AGAIN) from None
        if header.kind == _SPARSE:
            header = header._replace(offset=_after_sparse_map(read, block, header.offset, size))
        length = 0 if header.kind in _WITHOUT_BYTES else header.size
        position = header.offset + -(-length // BLOCK_BYTES) * BLOCK_BYTES
        last = header.name
        if position > size:
            raise InputError("%s: cut inside member %s" % (label, last), AGAIN)
        if header.kind not in _EXTENSIONS:
            extended = {}
            yield header._replace(size=length)
            continue
        all_extended += length
        if length > EXTENDED_BYTES or all_extended > ALL_EXTENDED_BYTES:
            raise LimitError("%s: extended headers too large, at %s" % (label, last))
        extended = {**extended, **_EXTENSIONS[header.kind](read(header.offset, length))}
        if len(extended.get("path", b"")) > limits.name_bytes or len(extended.get("linkpath", b"")) > limits.name_bytes:
            raise LimitError("%s: a name longer than %d bytes after %s" % (label, limits.name_bytes, last), "if that is right: --limit name_bytes=N")


def _header(block: bytes, offset: int, extended: Dict[str, bytes]) -> Header:
    """One header block, and what extended headers before it say instead. ValueError for a damaged number."""
    kind = block[156:157]
    name = block[:100].partition(b"\0")[0]
    size = _number(block[124:136])
    target = block[157:257].partition(b"\0")[0]
    if block[257:263] == b"ustar\0" and block[345]:  # GNU's magic is "ustar  " and its area at 345 holds times
        name = block[345:500].partition(b"\0")[0] + b"/" + name
    if kind in _EXTENSIONS:
        return Header(_text(name), kind, "", offset, size)
    if extended:
        name = extended.get("path", name)
        target = extended.get("linkpath", target)
        size = _decimal(extended["size"]) if "size" in extended else size
    if kind in b"\x007":  # before POSIX, and "contiguous"
        kind = _FILE
    if kind == _FILE and "sparse" in extended:
        kind = b"?"
    if kind == _FILE and name.endswith(b"/"):
        kind = _FOLDER
    return Header(_text(name), kind, _text(target), offset, size)


def _is_header(block: bytes) -> bool:
    """Whether the sum of a header's bytes, its checksum field taken as blanks, is what that field says.

    Adler-32's lower half is 1 + the sum of the bytes modulo 65521, ten times as fast as sum() over the block. Old tars
    added signed characters.
    """
    try:
        stated = _number(block[148:156])
    except ValueError:
        return False
    field = sum(block[148:156]) - 8 * 32
    if (zlib.adler32(block) & 0xFFFF) == (1 + stated + field) % 65521:
        return True
    return stated + field == sum(byte - 256 if byte > 127 else byte for byte in block)


def _number(field: bytes) -> int:
    """A number of a header: octal, or base 256 where its first bit is set (GNU tar, for 8 GiB and more)."""
    if field[0] & 0x80:
        if field[0] != 0x80:
            raise ValueError("a negative number")
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if not digits:
        return 0
    if not digits.isdigit():
        raise ValueError("not a number: %r" % digits)
    return int(digits, 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20:
        raise ValueError("not a size: %.40r" % digits)
    return int(digits)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def _pax(data: bytes) -> Dict[str, bytes]:
    """The records "LENGTH KEY=VALUE\\n" that matter; a record that does not fit ends the reading."""
    found: Dict[str, bytes] = {}
    position = 0
    while position < len(data):
        blank = data.find(b" ", position, position + 10)
        length = int(data[position:blank]) if blank > 0 and data[position:blank].isdigit() else 0
        if length < 5 or position + length > len(data):
            break
        key, _, value = data[blank + 1 : position + length - 1].partition(b"=")
        if key in (b"path", b"linkpath", b"size"):
            found[key.decode()] = value
        elif key.startswith(b"GNU.sparse."):
            found["sparse"] = value
        position += length
    return found


_EXTENSIONS: Dict[bytes, Callable[[bytes], Dict[str, bytes]]] = {
    b"x": _pax,
    b"X": _pax,  # Solaris
    b"g": lambda data: {},  # for all members; only git's comment is ever in it
    b"L": lambda data: {"path": data.partition(b"\0")[0]},
    b"K": lambda data: {"linkpath": data.partition(b"\0")[0]},
}


def _after_sparse_map(read: Callable[[int, int], bytes], block: bytes, offset: int, size: int) -> int:
    """Where the bytes of GNU's old sparse file start: after the blocks its map goes on in."""
    more = block[482]
    while more and offset + BLOCK_BYTES <= size:
        more = read(offset, BLOCK_BYTES)[504]
        offset += BLOCK_BYTES
    return offset
