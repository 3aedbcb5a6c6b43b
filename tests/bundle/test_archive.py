"""Which members are taken from an archive, and how a bundle is written."""

import gzip
import io
import os
import random
import resource
import stat
import tarfile
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numaaudit.bundle.archive import read_archive, write_bundle
from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.new_file import check_target
from numaaudit.bundle.tar import END, FIFO, HARD_LINK, SYMLINK, member
from numaaudit.bundle.tree import Gap, Leaf, Link, Members
from numaaudit.core.errors import CollectError, InputError, LimitError, TargetExistsError

MANIFEST = Manifest("0.1.0", "1", "gpu-host", "id", "boot", "2026-11-29T10:15:00Z")
OURS = member("manifest.json", MANIFEST.to_json())


def archive_of(*members: bytes, limits=LIMITS):
    data = b"".join(members) + END
    return read_archive(io.BytesIO(data), len(data), "in.tar", limits)


def contents(members: Members) -> dict:
    """Path to bytes, link, or None for an empty directory."""
    kinds = {"file": lambda handle: handle.load(), "link": lambda handle: handle, "dir": lambda handle: None}
    return {path: kinds[members.kind(handle)](handle) for path, handle in members.walk(members.top)}


def members_of(entries: dict) -> Members:
    members = Members()
    for path, entry in entries.items():
        members.add(path, Leaf(path, lambda entry=entry: entry) if isinstance(entry, bytes) else entry)
    return members


def test_files_links_and_directories_are_taken():
    archive = archive_of(member("./a/f", b"x"), member("a/l", kind=SYMLINK, target="/etc/shadow"), member("a/d/", kind=b"5"))

    assert {"a/f": b"x", "a/l": Link("/etc/shadow"), "a/d": None} == contents(archive.members)
    assert () == archive.refused


HOSTILE = {
    "absolute": (member("/etc/passwd", b"x"), "an absolute name"),
    "dots": (member("a/../../etc/passwd", b"x"), "a name with .."),
    "character device": (member("dev/null", kind=b"3"), "a character device"),
    "block device": (member("dev/sda", kind=b"4"), "a block device"),
    "fifo": (member("run/fifo", kind=FIFO), "a FIFO"),
    "sparse": (member("sparse", kind=b"S"), "a sparse file"),
    "unknown": (member("what", kind=b"Z"), "an unknown type of member"),
    "two files": (member("f", b"one") + member("f", b"two"), "the archive has two different members of this name"),
    "file and folder": (member("f", b"one") + member("f/g", b"two"), "the archive has two different members of this name"),
    "folder and file": (member("f/g", b"one") + member("f", b"two"), "the archive has two different members of this name"),
    "file and link": (member("f", b"one") + member("f", kind=SYMLINK, target="g"), "the archive has two different members of this name"),
    "deep": (member("a/" * 101 + "f"), "more than 100 folders deep (--limit name_depth=N)"),
    "long": (member("n" * 4097), "a name longer than 4096 bytes (--limit name_bytes=N)"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_evidence_is_left_out_of_a_foreign_archive(case):
    bad, reason = HOSTILE[case]
    archive = archive_of(member("proc/cpuinfo", b"cpu"), bad, member("proc/last", b"x"))

    assert [reason] == [gap.reason for gap in archive.refused]
    assert {"proc/cpuinfo": b"cpu", "proc/last": b"x"}.items() <= contents(archive.members).items()


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_evidence_is_refused_in_our_own_bundle(case):
    bad, reason = HOSTILE[case]

    with pytest.raises(InputError) as caught:
        archive_of(OURS, bad)
    assert str(caught.value).startswith("in.tar: member ") and str(caught.value).endswith(": " + reason)


def test_a_hard_link_is_another_name_in_a_foreign_archive_only():
    link = member("b", kind=HARD_LINK, target="a")

    assert {"a": b"x", "b": b"x"} == contents(archive_of(member("a", b"x"), link).members)
    with pytest.raises(InputError, match="in.tar: member b: a hard link"):
        archive_of(OURS, member("a", b"x"), link)


def test_a_hard_link_to_nothing_or_to_itself_is_a_gap():
    archive = archive_of(member("a", kind=HARD_LINK, target="a"), member("b", kind=HARD_LINK, target="../../etc/shadow"))

    assert ["absent", "absent"] == [gap.kind for gap in archive.refused]


def test_the_same_file_twice_is_no_conflict():
    archive = archive_of(OURS, member("f", b"x"), member("f", b"x"))

    assert (b"x", ()) == (archive.members.at("f").load(), archive.refused)


def test_of_two_different_files_the_first_is_kept_in_a_foreign_archive():
    archive = archive_of(member("f", b"one"), member("f", b"two"))

    assert ({"f": b"one"}, "ambiguous") == (contents(archive.members), archive.refused[0].kind)


def test_hard_links_to_a_file_under_its_own_name_are_not_compared_byte_by_byte():
    links = [member("a", kind=HARD_LINK, target="b"), member("a", kind=HARD_LINK, target="a")] * 2_000
    began = time.process_time()
    archive = archive_of(member("a", bytes(4 << 20)), member("b", bytes(4 << 20)), *links)

    assert {"the archive has two different members of this name"} == {gap.reason for gap in archive.refused}
    assert 2_000 == len(archive.refused)
    assert time.process_time() - began < 5


def test_a_file_without_a_name_is_said_to_have_none():
    assert ["no name"] * 2 == [gap.reason for gap in archive_of(member(""), member(".")).refused]


def test_a_member_above_the_limit_is_cut_in_a_foreign_archive_and_refused_in_ours():
    small = LIMITS._replace(member_bytes=1024)
    archive = archive_of(member("big", bytes(2000)), member("small", b"x"), limits=small)

    assert (Gap("cut", "big", "larger than 1 KiB (--limit member_bytes=N)"),) == archive.refused
    with pytest.raises(LimitError, match="in.tar: member big: larger than 1 KiB"):
        archive_of(OURS, member("big", bytes(2000)), limits=small)


def test_too_many_members_or_folders_are_refused():
    few = LIMITS._replace(members=10)
    with pytest.raises(LimitError, match="in.tar: more than 10 members"):
        archive_of(*[member(f"f{number}") for number in range(12)], limits=few)
    with pytest.raises(LimitError, match="in.tar: more than 10 members"):
        archive_of(member("a/" * 12 + "f"), member("g"), limits=few)


def test_the_manifest_of_another_program_makes_no_archive_ours():
    archive = archive_of(member("manifest.json", b'[{"Config":"x"}]'), member("/absolute"))

    assert (False, 1) == (archive.ours, len(archive.refused))


def test_a_hostile_name_stays_in_one_line():
    with pytest.raises(InputError) as caught:
        archive_of(OURS, member("/a\nintact (unsigned)\x1b[31m\u202e"))

    assert "in.tar: member /a\\nintact (unsigned)\\x1b[31m\\u202e: an absolute name" == str(caught.value)


# -- writing


def test_a_bundle_is_private_and_starts_with_its_manifest(tmp_path):
    target = str(tmp_path / "b.tar.gz")
    write_bundle(target, MANIFEST, members_of({"root/z": b"1", "root/cpu10": b"2", "root/cpu2": Link("z"), "commands": None}))

    with tarfile.open(target) as archive:
        names = [(entry.name, entry.uid, entry.mode) for entry in archive]
    assert [
        ("manifest.json", 0, 0o600), ("commands", 0, 0o700), ("root/cpu2", 0, 0o600), ("root/cpu10", 0, 0o600), ("root/z", 0, 0o600),
    ] == names  # fmt: skip
    assert (0o600, ["b.tar.gz"]) == (stat.S_IMODE(os.stat(target).st_mode), os.listdir(tmp_path))


@pytest.mark.parametrize("name", ("b.tar", "b.tar.gz", "b.tar.bz2", "b.tar.xz"))
def test_equal_evidence_gives_equal_bytes_in_whatever_order_it_came(tmp_path, name):
    entries = {f"root/proc/{number}/status": b"x" * number for number in range(50)}
    (tmp_path / "a").mkdir()
    write_bundle(str(tmp_path / "a" / name), MANIFEST, members_of(entries))
    write_bundle(str(tmp_path / name), MANIFEST, members_of(dict(reversed(entries.items()))))

    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / name).read_bytes()


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=150).filter(
    lambda name: name not in (".", "..")
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
ENTRIES = st.dictionaries(PATHS, st.one_of(st.binary(max_size=600), st.builds(Link, NAMES), st.none()), max_size=12)


@settings(deadline=None, max_examples=60)
@given(ENTRIES)
def test_what_is_written_is_what_is_read(tmp_path_factory, entries):
    target = str(tmp_path_factory.mktemp("bundle") / "b.tar.gz")
    members = members_of({"root/" + path: entry for path, entry in entries.items()})
    write_bundle(target, MANIFEST, members)

    with gzip.open(target) as file:
        data = file.read()
    found = read_archive(io.BytesIO(data), len(data), "b")
    expected = {"manifest.json": MANIFEST.to_json(), **contents(members)}
    assert (expected, (), True) == (contents(found.members), found.refused, found.ours)


def test_a_bundle_that_was_read_is_written_with_the_same_bytes(tmp_path):
    write_bundle(str(tmp_path / "a.tar"), MANIFEST, members_of({"root/z": b"1", "root/a": Link("z")}))
    data = (tmp_path / "a.tar").read_bytes()
    write_bundle(str(tmp_path / "b.tar"), MANIFEST, read_archive(io.BytesIO(data), len(data), "a.tar").members)

    assert data == (tmp_path / "b.tar").read_bytes()


def test_a_file_that_is_there_is_never_replaced(tmp_path):
    target = tmp_path / "b.tar.gz"
    target.write_text("precious")

    with pytest.raises(CollectError, match="b.tar.gz: exists already"):
        write_bundle(str(target), MANIFEST, Members())
    assert "precious" == target.read_text()


def test_a_file_that_comes_to_be_meanwhile_is_not_replaced_either(tmp_path):
    target = tmp_path / "b.tar.gz"

    def load() -> bytes:
        target.write_text("precious")
        return b""

    members = Members()
    members.add("root/slow", Leaf("root/slow", load))
    with pytest.raises(TargetExistsError, match="b.tar.gz: exists already"):
        write_bundle(str(target), MANIFEST, members)
    assert ("precious", ["b.tar.gz"]) == (target.read_text(), os.listdir(tmp_path))


def test_a_name_as_long_as_names_may_be_can_be_written_and_a_longer_one_is_refused_beforehand(tmp_path):
    write_bundle(str(tmp_path / ("n" * 251 + ".tar")), MANIFEST, Members())

    with pytest.raises(CollectError, match="File name too long"):
        check_target(str(tmp_path / ("n" * 252 + ".tar")))


def test_a_link_to_nowhere_is_not_written_through(tmp_path):
    (tmp_path / "b.tar").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CollectError, match="exists already"):
        write_bundle(str(tmp_path / "b.tar"), MANIFEST, Members())
    assert ["b.tar"] == os.listdir(tmp_path)


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(CollectError, match="none: no such directory"):
        write_bundle(str(tmp_path / "none" / "b.tar"), MANIFEST, Members())


@pytest.fixture
def small_disk():
    """No file of this process may grow beyond 64 KiB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", ("b.tar", "b.tar.gz", "b.tar.bz2", "b.tar.xz"))
def test_a_write_that_fails_leaves_nothing_and_is_said_in_one_line(tmp_path, small_disk, name):
    noise = random.Random(1).randbytes(3 << 20)

    with pytest.raises(CollectError) as caught:
        write_bundle(str(tmp_path / name), MANIFEST, members_of({"root/a": noise, "root/b": b"x"}))
    assert (f"{tmp_path}/{name}: not written: File too large", []) == (str(caught.value), os.listdir(tmp_path))


def test_an_interrupt_leaves_nothing(tmp_path):
    def interrupt() -> bytes:
        raise KeyboardInterrupt

    members = members_of({"root/a": b"x" * 5_000_000})
    members.add("root/b", Leaf("root/b", interrupt))
    with pytest.raises(KeyboardInterrupt):
        write_bundle(str(tmp_path / "b.tar.gz"), MANIFEST, members)

    assert [] == os.listdir(tmp_path)
