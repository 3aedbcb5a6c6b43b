"""The tar reader on archives of other writers and on hostile bytes, and the writer read by tarfile."""

import io
import struct
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tar import BLOCK_BYTES, END, Header, headers, is_tar, member
from numaaudit.core.errors import InputError, LimitError

FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


def read(data: bytes, limits=LIMITS) -> list[Header]:
    return list(headers(lambda offset, size: data[offset : offset + size], len(data), "in.tar", limits))


def sealed(block: bytes) -> bytes:
    """A header with its checksum set right."""
    blank = block[:148] + b" " * 8 + block[156:]
    return blank[:148] + b"%06o\0 " % sum(blank) + blank[156:]


def patched(block: bytes, offset: int, field: bytes) -> bytes:
    """A member whose header has ``field`` at ``offset``."""
    return sealed(block[:offset] + field + block[offset + len(field) : BLOCK_BYTES]) + block[BLOCK_BYTES:]


def pax(*records: tuple[str, str], kind: bytes = b"x") -> bytes:
    """An extended header with records of three-digit length."""
    text = ""
    for key, value in records:
        body = f" {key}={value}\n"
        text += f"{len(body) + 3:03d}{body}"
    return member("pax", text.encode(), kind)


def made_by_tarfile(names: list[str], data: bytes, form: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize("form", FORMATS)
def test_names_sizes_and_offsets_are_those_tarfile_sees(form):
    data = made_by_tarfile(["a", "sys/" + "long/" * 25 + "name", "b" * 99], b"x" * 700, form)

    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        expected = [(entry.name, entry.size, entry.offset_data) for entry in archive]
    assert expected == [(header.name, header.size, header.offset) for header in read(data)]


@pytest.mark.parametrize("form", (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
def test_long_names_and_link_targets_are_read(form):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        link = tarfile.TarInfo("n" * 300)
        link.type, link.linkname = tarfile.SYMTYPE, "t" * 300
        archive.addfile(link)

    assert [("n" * 300, b"2", "t" * 300)] == [(header.name, header.kind, header.target) for header in read(buffer.getvalue())]


def test_a_long_name_holds_for_one_member_only():
    assert ["n" * 150, "short"] == [header.name for header in read(member("n" * 150) + member("short") + END)]


def test_pax_size_replaces_the_header_s():
    data = pax(("size", "600")) + patched(member("f"), 124, b"00000000000\0") + b"x" * 1024 + member("next") + END

    assert [("f", 600), ("next", 0)] == [(header.name, header.size) for header in read(data)]


def test_sizes_in_base_256_are_read():
    data = patched(member("f", b"x" * 600), 124, b"\x80" + (600).to_bytes(11, "big")) + END

    assert [600] == [header.size for header in read(data)]


def test_checksums_of_signed_characters_are_accepted():
    block = member("caf\xe9" * 3)
    blank = block[:148] + b" " * 8 + block[156:]
    signed = sum(struct.unpack("512b", blank))

    assert ["caf\xe9" * 3] == [header.name for header in read(block[:148] + b"%06o\0 " % signed + block[156:] + END)]


def test_links_devices_and_fifos_have_no_bytes():
    data = b"".join(patched(member("m", kind=kind), 124, b"00000001000\0") for kind in (b"1", b"2", b"3", b"4", b"5", b"6")) + END

    assert [0] * 6 == [header.size for header in read(data)]


def test_a_sparse_file_of_gnu_is_passed_with_its_map():
    block = patched(patched(member("sparse", kind=b"S"), 124, b"00000001000\0"), 482, b"\1")
    more = bytes(504) + b"\1" + bytes(7)
    data = block + more + bytes(512) + b"x" * 512 + member("next") + END

    assert [("sparse", b"S"), ("next", b"0")] == [(header.name, header.kind) for header in read(data)]


def test_a_sparse_file_of_pax_is_told_from_a_plain_one():
    data = pax(("GNU.sparse.major", "1")) + member("f", b"1") + member("next") + END

    assert [b"?", b"0"] == [header.kind for header in read(data)]


def test_a_global_header_changes_no_name():
    assert ["f"] == [header.name for header in read(pax(("path", "other"), kind=b"g") + member("f") + END)]


@pytest.mark.parametrize("length", (1, 511, 512, 1000, 1024, 1536, 2047, 2048, 2559))
def test_an_archive_cut_anywhere_is_refused(length):
    data = member("one", b"x" * 500) + member("two", b"y" * 500) + END

    with pytest.raises(InputError, match="in.tar: cut"):
        read(data[:length])


def test_an_archive_without_its_end_is_refused_naming_the_last_member():
    with pytest.raises(InputError) as caught:
        read(member("one", b"x"))

    assert "in.tar: cut after one: the end of the archive is missing" == str(caught.value)


def test_a_member_beyond_the_end_is_refused_by_name():
    with pytest.raises(InputError) as caught:
        read(patched(member("proc/1/maps"), 124, b"77777777777\0") + END)

    assert "in.tar: cut inside member proc/1/maps" == str(caught.value)


@pytest.mark.parametrize("field", (b"\xff" * 12, b"-0000000001\0", b"0o000000010\0", b"9\0", b"1_0\0"))
def test_sizes_that_are_no_numbers_are_refused(field):
    with pytest.raises(InputError, match="in.tar: damaged at byte 0"):
        read(patched(member("f"), 124, field) + END)


@pytest.mark.parametrize("size", ("-1", "x", "9" * 30, ""))
def test_pax_sizes_that_are_no_numbers_are_refused(size):
    with pytest.raises(InputError, match="not a size"):
        read(pax(("size", size)) + member("f") + END)


def test_a_wrong_checksum_is_refused_with_its_place():
    with pytest.raises(InputError) as caught:
        read(member("one") + b"x" + member("two")[1:] + END)

    assert "in.tar: damaged at byte 512, after one: not a tar header" == str(caught.value)


def test_one_huge_extended_header_is_refused():
    with pytest.raises(LimitError, match="extended headers too large"):
        read(member("x", bytes(2 << 20), b"x") + member("f") + END)


def test_extended_headers_without_end_are_refused():
    with pytest.raises(LimitError, match="too many"):
        read(member("x", b"", b"x") * 31 + END, LIMITS._replace(members=10))


@pytest.mark.parametrize("records", (b"999 path=x\n", b"path=x\n", b"0 path=x\n", b"4 a\n", b"\xff\xff path\n", b" =\n", b"12 path=ab"))
def test_damaged_pax_records_change_no_name(records):
    assert ["f"] == [header.name for header in read(member("pax", records, b"x") + member("f") + END)]


def test_reading_pax_records_takes_one_pass():
    """One record after the other, each found where the last one ends: as many looks as records."""
    looks = []

    class Watched(bytes):
        def find(self, *arguments):
            looks.append(arguments)
            return super().find(*arguments)

    data = member("pax", b"6 a=b\n" * 5000, b"x") + member("f") + END
    list(headers(lambda offset, size: Watched(data[offset : offset + size]), len(data), "in.tar"))

    assert 5000 == len(looks)


@given(st.binary(max_size=2048))
def test_any_bytes_give_members_or_an_input_error(data):
    try:
        read(data)
    except InputError as error:
        assert "\n" not in str(error)


@given(st.integers(0, 511), st.binary(min_size=1, max_size=12))
def test_any_patched_header_gives_members_or_an_input_error(offset, field):
    try:
        found = read(patched(member("f", b"x" * 100), offset, field[: 512 - offset]) + END)
    except InputError:
        return
    assert all(header.size >= 0 and header.offset >= 0 for header in found)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1), st.binary(max_size=1100))
def test_tarfile_reads_what_is_written(name, data):
    with tarfile.open(fileobj=io.BytesIO(member("x" + name, data) + END)) as archive:
        (entry,) = archive.getmembers()
        content = archive.extractfile(entry)

        assert (("x" + name).rstrip("/"), data) == (entry.name.rstrip("/"), content.read() if content else b"")


def test_what_is_no_header_is_no_tar():
    assert [True, False, False, False] == [is_tar(first) for first in (member("f"), b"", bytes(512), b"x" * 512)]
