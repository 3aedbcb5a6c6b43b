"""The tar format: the members of an archive in their order, and one member as bytes.

Our own reader, for it is the security boundary and the hot path. It knows ustar, GNU long names and pax ``path``,
``linkpath`` and ``size`` (POSIX.1-2001 pax(1); tar(5)), verifies every checksum, bounds every extended header, reads no byte
of a file, and takes an archive without its end for what it is: cut. Writing needs 15 lines more, at a sixth of tarfile's time.
"""

from __future__ import annotations

import struct
import zlib
from typing import Callable, Dict, Iterator, NamedTuple

from numaaudit.bundle.limits import LIMITS, Limits
from numaaudit.core.errors import InputError, LimitError, shown
from numaaudit.core.units import MIB

BLOCK_BYTES = 512
EXTENDED_BYTES = 1 * MIB  # of one extended header; access control lists and the like are in there too
ALL_EXTENDED_BYTES = 32 * MIB
AGAIN = "copy the file again from where it was made"

FILE, HARD_LINK, SYMLINK, CHARACTER_DEVICE, BLOCK_DEVICE, FOLDER, FIFO = b"0", b"1", b"2", b"3", b"4", b"5", b"6"
SPARSE, PAX_SPARSE = b"S", b"?"  # GNU: a type of its own, or a file with records GNU.sparse.* before it

_ZERO = bytes(BLOCK_BYTES)
_WITHOUT_BYTES = frozenset((HARD_LINK, SYMLINK, CHARACTER_DEVICE, BLOCK_DEVICE, FOLDER, FIFO))

END = bytes(2 * BLOCK_BYTES)

# name mode uid gid size mtime checksum type target magic user group devmajor devminor prefix
_USTAR = struct.Struct("100s8s8s8s12s12s8sc100s8s32s32s8s8s155s12x")
_MTIME = b"%011o\0" % 315_532_800  # 1980-01-01: members have no times of their own, and tar(1) warns about 1970

Read = Callable[[int, int], bytes]  # offset and size


class Header(NamedTuple):
    """One member; ``kind`` is its type flag, ``offset`` that of its ``size`` bytes."""

    name: str
    kind: bytes
    target: str
    offset: int
    size: int


def is_tar(first: bytes) -> bool:
    """Whether a file that starts with these bytes is a tar archive: it starts with a header."""
    return len(first) >= BLOCK_BYTES and any(first[:BLOCK_BYTES]) and _is_header(first[:BLOCK_BYTES])


def headers(read: Read, size: int, label: str, limits: Limits = LIMITS) -> Iterator[Header]:
    """The members of an archive of ``size`` bytes in their order."""
    position, all_extended, num_extended = 0, 0, 0
    extended: Dict[str, bytes] = {}
    last = "its start"
    while True:
        if position + BLOCK_BYTES > size:
            raise InputError("%s: cut after %s: the end of the archive is missing" % (label, shown(last)), AGAIN)
        block = read(position, BLOCK_BYTES)
        if block == _ZERO:
            return
        if not _is_header(block):
            raise InputError("%s: damaged at byte %d, after %s: not a tar header" % (label, position, shown(last)), AGAIN)
        try:
            header = _header(block, position + BLOCK_BYTES, extended)
        except ValueError as error:
            raise InputError("%s: damaged at byte %d, after %s: %s" % (label, position, shown(last), error), AGAIN) from None
        if header.kind == SPARSE:
            header = header._replace(offset=_after_sparse_map(read, block, header.offset, size))
        position = header.offset + (header.size + BLOCK_BYTES - 1) // BLOCK_BYTES * BLOCK_BYTES
        last = header.name
        if position > size:
            raise InputError("%s: cut inside member %s" % (label, shown(last)), AGAIN)
        if header.kind not in _EXTENSIONS:
            extended = {}
            yield header
            continue
        all_extended += header.size
        num_extended += 1
        if header.size > EXTENDED_BYTES or all_extended > ALL_EXTENDED_BYTES or num_extended > 3 * limits.members:
            raise LimitError("%s: extended headers too large or too many, at %s" % (label, shown(last)))
        extended = {**extended, **_EXTENSIONS[header.kind](read(header.offset, header.size))}


def _header(block: bytes, offset: int, extended: Dict[str, bytes]) -> Header:
    """One header block, and what extended headers before it say instead. ValueError for a damaged number."""
    kind = block[156:157]
    name = block[:100].partition(b"\0")[0]
    size = _number(block[124:136])
    target = block[157:257].partition(b"\0")[0] if block[157] else b""
    if block[257:263] == b"ustar\0" and block[345]:  # GNU's magic is "ustar  " and its area at 345 holds times
        name = block[345:500].partition(b"\0")[0] + b"/" + name
    if kind in _EXTENSIONS:
        return Header(_text(name), kind, "", offset, size)
    if extended:
        name = extended.get("path", name)
        target = extended.get("linkpath", target)
        size = _decimal(extended["size"]) if "size" in extended else size
    if kind in b"\x007":  # before POSIX, and "contiguous"
        kind = FILE
    if kind == FILE and "sparse" in extended:
        kind = PAX_SPARSE
    if kind == FILE and name.endswith(b"/"):
        kind = FOLDER
    return Header(_text(name), kind, _text(target) if target else "", offset, 0 if kind in _WITHOUT_BYTES else size)


def _is_header(block: bytes) -> bool:
    """Whether the sum of a header's bytes, its checksum field taken as blanks, is what that field says.

    Old tars added signed characters.
    """
    try:
        stated = _number(block[148:156])
    except ValueError:
        return False
    expected = stated + sum(block[148:156]) - 8 * 32
    return expected == _sum(block) or expected == sum(byte - 256 if byte > 127 else byte for byte in block)


def _sum(block: bytes) -> int:
    """The sum of a block's bytes.

    Adler-32 is ten times as fast as sum(): its lower half is 1 + the sum modulo 65521, which a block of ASCII stays below.
    """
    return (zlib.adler32(block) & 0xFFFF) - 1 if block.isascii() else sum(block)


def _number(field: bytes) -> int:
    """A number of a header: octal, or base 256 where its first bit is set (GNU tar, for 8 GiB and more)."""
    digits = field.strip(b" \0")
    if digits.isdigit():
        return int(digits, 8)
    if not digits:
        return 0
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    raise ValueError("a negative number" if field[0] & 0x80 else "not a number: %r" % digits)


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
    b"g": lambda _: {},  # for all members; only git's comment is ever in it
    b"L": lambda data: {"path": data.partition(b"\0")[0]},
    b"K": lambda data: {"linkpath": data.partition(b"\0")[0]},
}


def _after_sparse_map(read: Read, block: bytes, offset: int, size: int) -> int:
    """Where the bytes of GNU's old sparse file start: after the blocks its map goes on in."""
    more = block[482]
    while more and offset + BLOCK_BYTES <= size:
        more = read(offset, BLOCK_BYTES)[504]
        offset += BLOCK_BYTES
    return offset


def member(name: str, data: bytes = b"", kind: bytes = FILE, target: str = "") -> bytes:
    """A member as bytes: owner root, mode 0600 (a directory's 0700), a fixed time. GNU's way for names above 100 bytes."""
    raw, link = name.encode("utf-8", "backslashreplace"), target.encode("utf-8", "backslashreplace")
    if max(len(raw), len(link)) <= 100:
        return _member(raw, kind, data, link)
    long_names = b"".join(_member(b"././@LongLink", flag, text + b"\0") for flag, text in ((b"L", raw), (b"K", link)) if len(text) > 100)
    return long_names + _member(raw[:100], kind, data, link[:100])


def _member(name: bytes, kind: bytes, data: bytes, target: bytes = b"") -> bytes:
    mode = b"0000700\0" if kind == FOLDER else b"0000600\0"
    zero = b"0000000\0"
    size = b"%011o\0" % len(data)
    block = _USTAR.pack(name, mode, zero, zero, size, _MTIME, b" " * 8, kind, target, b"ustar\00000", b"root", b"root", zero, zero, b"")
    return b"".join((block[:148], b"%06o\0 " % _sum(block), block[156:], data, bytes(-len(data) % BLOCK_BYTES)))
