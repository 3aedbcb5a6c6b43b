"""The bytes of an input, whatever they are packed in: gzip, bzip2, xz, zstd or nothing, told by their first bytes.

Unpacked bytes stay in memory while they are few and go to an unlinked temporary file otherwise; the limits on size and
ratio are enforced while they stream, so that a bomb costs no more than the limit.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import zlib
from importlib import import_module
from typing import IO, Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple, Type

from numaaudit.bundle.limits import LIMITS, Limits, to_raise
from numaaudit.bundle.tar import AGAIN
from numaaudit.core.errors import InputError, LimitError
from numaaudit.core.units import MIB, format_bytes

IN_MEMORY_BYTES = 32 * MIB
_READ_BYTES = 1 << 16
_WRITE_BYTES = 1 << 20
_XZ_MEMORY_BYTES = 128 * MIB  # xz -9 needs 65 MiB; a hostile header may ask for 4 GiB


class Unpacked(NamedTuple):
    """``file`` is seekable; ``sha256`` is of the input as it came; ``packing`` is "" or the name of the compression."""

    file: IO[bytes]
    size: int
    sha256: str
    packing: str


def unpack(raw: IO[bytes], label: str, limits: Limits = LIMITS) -> Unpacked:
    """Read an input to its end; ``raw`` is closed unless it is the result.

    InputError if the packed data is damaged or cut, LimitError above a limit.
    """
    try:
        source = _Counted(raw, label)
        packing = _packing_of(source.first)
        file = _seekable(raw, source, packing, label, limits)
    except BaseException:
        raw.close()
        raise
    if file is not raw:
        raw.close()
    return Unpacked(file, file.seek(0, os.SEEK_END), source.sha256.hexdigest(), packing.name if packing else "")


def _seekable(raw: IO[bytes], source: _Counted, packing: Optional[_Packing], label: str, limits: Limits) -> IO[bytes]:
    """The unpacked bytes; ``raw`` itself if it is not packed and no pipe."""
    if packing is not None:
        return _spool(_decoded(source, packing, label), source, label, limits)
    if not _has_end(raw, len(source.first)):
        return _spool(iter(source.read, b""), source, label, limits)
    _check_size(raw.seek(0, os.SEEK_END), label, limits)
    raw.seek(len(source.first))
    while source.read():
        pass
    return raw


def _has_end(raw: IO[bytes], position: int) -> bool:
    """Whether it knows its size, as pipes and files of procfs do not. It is left at ``position``."""
    try:
        size = raw.seek(0, os.SEEK_END)
        raw.seek(position)
    except OSError:  # also what io raises for a pipe
        return False
    return size > 0


def open_raw(path: str) -> IO[bytes]:
    """Open an input, a file or a pipe, without waiting for a writer. InputError says why not."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        kind = stat.S_IFMT(os.fstat(fd).st_mode)
        os.set_blocking(fd, True)
    except OSError as error:
        raise InputError("%s: %s" % (path, error.strerror), "name a bundle, a directory, a text or - for standard input") from None
    if kind not in (stat.S_IFREG, stat.S_IFIFO):
        os.close(fd)
        raise InputError("%s: neither a file nor a directory" % path)
    return open(fd, "rb", _READ_BYTES)


class _Counted:
    """Counts and hashes what is read; the first chunk is kept back, to be looked at."""

    def __init__(self, raw: IO[bytes], label: str) -> None:
        self._raw = raw
        self._label = label
        self.sha256 = hashlib.sha256()
        self.count = 0
        self.first = b""
        self.first = self._next()
        self._fresh = True

    def read(self) -> bytes:
        if self._fresh:
            self._fresh = False
            return self.first
        return self._next()

    def _next(self) -> bytes:
        try:
            chunk = self._raw.read(_READ_BYTES)
        except OSError as error:
            raise InputError("%s: cannot be read: %s" % (self._label, error.strerror), AGAIN) from None
        self.count += len(chunk)
        self.sha256.update(chunk)
        return chunk


class _Gzip:
    """zlib's decoder with the interface of those of bz2, lzma and zstd; it verifies the checksum of its member."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(31)
        self._tail = b""
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._zlib.decompress(self._tail + data, max_length)
        self._tail = self._zlib.unconsumed_tail
        self.needs_input = not self._tail and len(out) < max_length
        return out

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data


class _Packing(NamedTuple):
    """A compression: ``decoder`` makes what decodes one stream and raises ``error``."""

    name: str
    decoder: Callable[[], Any]
    error: Type[Exception]


def _packing_of(first: bytes) -> Optional[_Packing]:
    if first.startswith(b"\x1f\x8b"):
        return _Packing("gzip", _Gzip, zlib.error)
    if first.startswith(b"BZh"):
        return _Packing("bzip2", _bzip2().BZ2Decompressor, OSError)
    if first.startswith(b"\xfd7zXZ\0"):
        return _Packing("xz", _xz_decoder, _xz().LZMAError)
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        return _Packing("zstd", zstd().ZstdDecompressor, zstd().ZstdError)
    return None


def _xz_decoder() -> Any:
    return _xz().LZMADecompressor(_xz().FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)


def _bzip2() -> Any:
    return _first_of(("bz2",), "bzip2", "")


def _xz() -> Any:
    return _first_of(("lzma",), "xz", "")


def zstd() -> Any:
    """The zstd module of Python 3.14, or its backport; InputError if there is neither."""
    return _first_of(("compression.zstd", "backports.zstd"), "zstd", 'install the extra: pip install "numaaudit[zstd]"')


def _first_of(modules: Tuple[str, ...], packing: str, hint: str) -> Any:
    for name in modules:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise InputError("%s data cannot be read or written by this Python" % packing, hint)


def _decoded(source: _Counted, packing: _Packing, label: str) -> Iterator[bytes]:
    """The bytes of one or more streams one after the other, as gzip(1), bzip2(1), xz(1) and zstd(1) read them."""
    pending = source.read()
    while pending:
        decoder = packing.decoder()
        while not decoder.eof:
            if decoder.needs_input and not pending:
                pending = source.read()
                if not pending:
                    raise InputError("%s: cut: its %s data ends early" % (label, packing.name), AGAIN)
            try:
                chunk = decoder.decompress(pending, _WRITE_BYTES)
            except packing.error as error:
                raise InputError("%s: damaged %s data: %s" % (label, packing.name, error), AGAIN) from None
            pending = b""
            yield chunk
        pending = _after_padding(decoder.unused_data, source)


def _after_padding(data: bytes, source: _Counted) -> bytes:
    """What follows the zero bytes that may stand between streams and after the last; empty at the end."""
    data = data.lstrip(b"\0")
    while not data:
        chunk = source.read()
        if not chunk:
            break
        data = chunk.lstrip(b"\0")
    return data


_PACKERS: Dict[str, Callable[[], Any]] = {".bz2": _bzip2, ".xz": _xz, ".zst": zstd}


def check_packing(name: str) -> None:
    """InputError if this Python cannot pack as the ending of ``name`` says; one may be built without bz2 or lzma."""
    packer = _PACKERS.get(os.path.splitext(name)[1])
    if packer is not None:
        packer()


def compressor(file: IO[bytes], name: str) -> Any:
    """What packs bytes into ``file`` as the ending of ``name`` says, gzip if it says nothing; closing it leaves ``file`` open.

    Level 3 of gzip takes the time of level 1, half that of level 6, for 40 % more bytes (bundles of 4 and 10 MB).
    """
    if name.endswith(".tar"):
        return io.FileIO(file.fileno(), "wb", closefd=False)
    if name.endswith(".bz2"):
        return _bzip2().BZ2File(file, "wb")
    if name.endswith(".xz"):
        return _xz().LZMAFile(file, "wb", preset=3)
    if name.endswith(".zst"):
        return zstd().ZstdFile(file, "wb")
    return gzip.GzipFile("", "wb", 3, file, mtime=0)


def _spool(chunks: Iterator[bytes], source: _Counted, label: str, limits: Limits) -> IO[bytes]:
    """The chunks in memory, or in an unlinked temporary file if they are many."""
    file: IO[bytes] = io.BytesIO()
    size = 0
    try:
        for chunk in chunks:
            size += len(chunk)
            _check_size(size, label, limits)
            if size > limits.ratio_free_bytes and size > source.count * limits.ratio:
                raise LimitError("%s: unpacks to more than %d times its size" % (label, limits.ratio), to_raise("ratio"))
            if isinstance(file, io.BytesIO) and size > IN_MEMORY_BYTES:
                file = _on_disk(file)
            file.write(chunk)
        file.flush()
    except OSError as error:
        file.close()
        reason = "%s: cannot be unpacked into the temporary folder: %s" % (label, error.strerror)
        raise InputError(reason, "set TMPDIR to a folder with room") from None
    except BaseException:
        file.close()
        raise
    return file


def _on_disk(memory: io.BytesIO) -> IO[bytes]:
    import tempfile  # 4 ms at start-up that few inputs need

    file = tempfile.TemporaryFile()  # noqa: SIM115  (closed with its last member)
    try:
        with memory, memory.getbuffer() as view:
            file.write(view)
    except OSError:
        file.close()
        raise
    return file


def _check_size(size: int, label: str, limits: Limits) -> None:
    if size > limits.total_bytes:
        raise LimitError("%s: larger than %s" % (label, format_bytes(limits.total_bytes)), to_raise("total_bytes"))
