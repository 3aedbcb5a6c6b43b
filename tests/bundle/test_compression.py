"""Packed inputs: every packing gives the same bytes; cut, damaged and overlarge ones are refused in one line."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import random
import resource
import subprocess
import sys

import pytest

from numaaudit.bundle import compression
from numaaudit.bundle.compression import compressor, open_raw, unpack
from numaaudit.bundle.limits import LIMITS
from numaaudit.core.errors import InputError, LimitError

TEXT = b"".join(b"cpu%d 100 200 300\n" % number for number in range(20_000))
PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "": lambda data: data}


def unpacked(data: bytes, limits=LIMITS) -> bytes:
    result = unpack(io.BytesIO(data), "in", limits)
    result.file.seek(0)
    return result.file.read()


@pytest.mark.parametrize("packing", PACKERS)
def test_each_packing_gives_the_bytes_their_number_and_the_digest_of_the_input(packing):
    packed = PACKERS[packing](TEXT)
    result = unpack(io.BytesIO(packed), "in")

    assert (len(TEXT), hashlib.sha256(packed).hexdigest(), packing) == result[1:]
    assert TEXT == unpacked(packed)


@pytest.mark.parametrize("packing", ("gzip", "bzip2", "xz"))
def test_several_streams_with_zero_padding_are_one_input(packing):
    pack = PACKERS[packing]

    assert b"onetwo" + TEXT == unpacked(pack(b"one") + bytes(4) + pack(b"two") + pack(TEXT) + bytes(70_000))


@pytest.mark.parametrize("packing", ("gzip", "bzip2", "xz"))
@pytest.mark.parametrize("share", (0.2, 0.5, 0.999))
def test_a_cut_stream_is_refused(packing, share):
    packed = PACKERS[packing](TEXT)

    with pytest.raises(InputError) as caught:
        unpacked(packed[: int(len(packed) * share)])
    assert f"in: cut: its {packing} data ends early" == str(caught.value)


@pytest.mark.parametrize("packing", ("gzip", "bzip2", "xz"))
def test_damage_is_refused(packing):
    packed = bytearray(PACKERS[packing](random.Random(1).randbytes(5000)))
    packed[len(packed) // 2] ^= 0xFF

    with pytest.raises(InputError, match=f"in: damaged {packing} data"):
        unpacked(bytes(packed))


@pytest.mark.parametrize("packing", ("gzip", "bzip2", "xz"))
def test_bytes_after_the_last_stream_are_damage(packing):
    with pytest.raises(InputError, match=f"in: damaged {packing} data"):
        unpacked(PACKERS[packing](TEXT) + b"something else that is no stream")


def test_a_bomb_is_refused_by_its_ratio():
    packed = gzip.compress(bytes(40 << 20))

    with pytest.raises(LimitError) as caught:
        unpacked(packed)
    assert ("in: unpacks to more than 200 times its size", "if that is right: numaaudit --limit ratio=N ...") == (
        str(caught.value),
        caught.value.hint,
    )


def test_a_high_ratio_is_accepted_while_the_output_is_small():
    assert 16 << 20 == len(unpacked(gzip.compress(bytes(16 << 20))))


@pytest.mark.parametrize("packing", PACKERS)
def test_more_bytes_than_the_limit_are_refused(packing):
    with pytest.raises(LimitError, match="in: larger than 4 KiB"):
        unpacked(PACKERS[packing](TEXT), LIMITS._replace(total_bytes=4096))


def test_a_sparse_file_of_ten_gibibytes_is_refused_without_reading_it(tmp_path):
    huge = tmp_path / "huge"
    with open(huge, "wb") as file:
        file.truncate(10 << 30)

    with pytest.raises(LimitError, match="huge: larger than 4 GiB"):
        unpack(open_raw(str(huge)), str(huge))


def test_an_xz_header_that_asks_for_gibibytes_of_memory_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28, "mode": lzma.MODE_FAST, "mf": lzma.MF_HC3}]
    stream = lzma.compress(b"x", filters=filters)

    with pytest.raises(InputError, match="in: damaged xz data"):
        unpacked(stream)


def test_many_bytes_go_to_a_temporary_file_without_a_name(tmp_path):
    data = random.Random(1).randbytes(1 << 20) * 40
    result = unpack(io.BytesIO(gzip.compress(data, 0)), "in")

    assert (len(data), 0) == (os.fstat(result.file.fileno()).st_size, os.fstat(result.file.fileno()).st_nlink)
    result.file.close()


def test_a_full_temporary_folder_is_said_with_a_way_out():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    packed = gzip.compress(random.Random(1).randbytes(1 << 20) * 40, 0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with pytest.raises(InputError, match="in: cannot be unpacked into the temporary folder: File too large") as caught:
            unpacked(packed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert "set TMPDIR to a folder with room" == caught.value.hint


def test_few_bytes_stay_in_memory():
    assert isinstance(unpack(io.BytesIO(gzip.compress(TEXT)), "in").file, io.BytesIO)


def test_a_pipe_is_read_to_its_end(tmp_path):
    reader, writer = os.pipe()
    os.write(writer, gzip.compress(b"text"))
    os.close(writer)
    result = unpack(open_raw(f"/dev/fd/{reader}"), "pipe")
    os.close(reader)

    assert b"text" == result.file.getvalue()


def test_a_named_pipe_without_a_writer_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "fifo")

    assert 0 == unpack(open_raw(str(tmp_path / "fifo")), "fifo").size


def test_a_device_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="neither a file nor a directory"):
        open_raw("/dev/zero")
    with pytest.raises(InputError, match="No such file"):
        open_raw(str(tmp_path / "none"))


@pytest.mark.parametrize("name", ("a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "a.tgz", "a"))
def test_what_is_packed_by_name_is_unpacked(tmp_path, name):
    with open(tmp_path / name, "wb") as file, compressor(file, name) as packed:
        packed.write(TEXT)
    expected = {"a.tar": "", "a.tar.bz2": "bzip2", "a.tar.xz": "xz"}.get(name, "gzip")

    packed = (tmp_path / name).read_bytes()
    assert (TEXT, expected) == (unpacked(packed), unpack(io.BytesIO(packed), name).packing)


def test_zstd_is_read_and_written_or_its_extra_is_named(tmp_path):
    try:
        module = compression.zstd()
    except InputError as error:
        assert 'install the extra: pip install "numaaudit[zstd]"' == error.hint
        return
    packed = module.compress(TEXT)

    assert TEXT + b"x" == unpacked(packed + module.compress(b"x"))
    with pytest.raises(InputError, match="in: cut: its zstd data ends early"):
        unpacked(packed[:-5])
    with open(tmp_path / "a.tar.zst", "wb") as file, compressor(file, "a.tar.zst") as writer:
        writer.write(TEXT)
    assert TEXT == unpacked((tmp_path / "a.tar.zst").read_bytes())


@pytest.mark.parametrize(("name", "packing"), [("e.tar.bz2", "bzip2"), ("e.tar.xz", "xz"), ("e.tar.gz", "")])
def test_a_python_built_without_bz2_and_lzma_says_so_before_anything_is_read(name, packing):
    code = (
        "import sys; sys.modules.update(bz2=None, lzma=None, _bz2=None, _lzma=None)\n"
        "from numaaudit.bundle.compression import check_packing\n"
        "from numaaudit.core.errors import InputError\n"
        f"try: check_packing('{name}')\n"
        "except InputError as error: print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    expected = f"{packing} data cannot be read or written by this Python\n" if packing else ""
    assert (0, expected, "") == (ended.returncode, ended.stdout, ended.stderr)


def test_an_input_that_cannot_be_read_is_named(tmp_path):
    with open("/proc/self/mem", "rb") as memory, pytest.raises(InputError, match="in: cannot be read: Input/output error"):
        unpack(memory, "in")


def test_a_file_of_procfs_has_no_size_and_is_read_whole():
    result = unpack(open_raw("/proc/version"), "version")

    with open("/proc/version", "rb") as version:
        expected = version.read()
    result.file.seek(0)
    assert (expected, len(expected)) == (result.file.read(), result.size)
