"""open_input: every kind of input gives a tree, or one line that says what is wrong, where, and what to do."""

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from numaaudit.bundle.archive import write_bundle
from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.manifest import Entry, Manifest
from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tar import END, FIFO, SYMLINK, member
from numaaudit.bundle.tree import Gap, Members
from numaaudit.core.errors import InputError, LimitError

MANIFEST = Manifest(
    "0.1.0", "1", "gpu-host", "id", "boot", "2026-11-29T10:15:00Z",
    entries=(Entry("root/proc/7/numa_maps", "refused", reason="Permission denied"),),
)  # fmt: skip
NO_MANIFEST = Gap("absent", "manifest.json", "times, selection and privileges of the collection are not known")
HOST = {"proc/cpuinfo": b"processor: 0\n", "sys/devices/system/node/online": b"0-1\n", "sys/bus/cpu": "../devices/system"}
PACKERS = {".tar": bytes, ".tar.gz": gzip.compress, ".tar.bz2": bz2.compress, ".tar.xz": lzma.compress}


def packed(entries: dict, top: str = "") -> bytes:
    """A tar archive of files (bytes) and links (str)."""
    return b"".join(
        member(top + name, entry) if isinstance(entry, bytes) else member(top + name, kind=SYMLINK, target=entry)
        for name, entry in entries.items()
    ) + END  # fmt: skip


def put(path: Path, data: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def unpacked(path: Path, entries: dict, top: str = "") -> str:
    with tarfile.open(fileobj=io.BytesIO(packed(entries, top))) as archive:
        archive.extractall(path, filter="data")
    return str(path)


def seen(opened) -> dict:
    """All files below root/ and commands/ with their bytes, in a form that does not tell what they are stored in."""
    paths = [path for depth in range(1, 7) for top in ("root", "commands") for path in opened.tree.glob(top + "/*" * depth)]
    found = {path: opened.tree.get(path) for path in paths}
    return {path: entry.data for path, entry in found.items() if not isinstance(entry, Gap)}


EXPECTED = {
    "root/proc/cpuinfo": b"processor: 0\n",
    "root/sys/devices/system/node/online": b"0-1\n",
    "root/sys/bus/cpu/node/online": b"0-1\n",
}


# -- what a host may be kept in


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("top", ("", "./", "host-a/", "host-a/fsroot/", "a/b/c/d/"))
def test_a_packed_root_is_read_below_any_top_folder(tmp_path, ending, top):
    opened = open_input(put(tmp_path / ("x" + ending), PACKERS[ending](packed(HOST, top))))

    assert (EXPECTED, "archive", None, (NO_MANIFEST,)) == (seen(opened), opened.kind, opened.manifest, opened.gaps)


@pytest.mark.parametrize("top", ("", "host-a/", "a/b/c/"))
def test_a_directory_gives_what_its_archive_gives(tmp_path, top):
    opened = open_input(unpacked(tmp_path, HOST, top))

    assert (EXPECTED, "directory", None, (NO_MANIFEST,)) == (seen(opened), opened.kind, opened.sha256, opened.gaps)


def test_standard_input_is_read_like_a_file():
    opened = open_input("-", stdin=gzip.compress(packed(HOST)))

    assert (EXPECTED, "archive") == (seen(opened), opened.kind)


@pytest.mark.parametrize("name", ("b.tar", "b.tar.gz", "b.tar.bz2", "b.tar.xz"))
def test_a_bundle_brings_its_manifest_and_its_gaps(tmp_path, name):
    members = Members()
    members.add_bytes("root/proc/7/status", b"Name:\tpython\n")
    write_bundle(str(tmp_path / name), MANIFEST, members)
    opened = open_input(str(tmp_path / name))

    assert ("bundle", MANIFEST, ()) == (opened.kind, opened.manifest, opened.gaps)
    assert Gap("refused", "root/proc/7/numa_maps", "Permission denied") == opened.tree.get("root/proc/7/numa_maps")
    assert b"Name:\tpython\n" == opened.tree.get("root/proc/7/status").data


def test_an_unpacked_or_repacked_bundle_is_still_one(tmp_path):
    entries = {"root/proc/7/status": b"Name:\tpython\n", "manifest.json": MANIFEST.to_json()}
    directory = open_input(unpacked(tmp_path / "unpacked", entries, "b/"))
    archive = open_input(put(tmp_path / "x.tar", packed(entries, "b/")))

    assert [("bundle", MANIFEST)] * 2 == [(opened.kind, opened.manifest) for opened in (directory, archive)]
    assert seen(directory) == seen(archive)


def test_a_bundle_without_manifest_is_read_for_what_it_tells(tmp_path):
    opened = open_input(put(tmp_path / "x.tar", packed({"commands/lscpu.out": b"Architecture: x86_64\n", "root/proc/cpuinfo": b""})))

    assert ({"commands/lscpu.out": b"Architecture: x86_64\n", "root/proc/cpuinfo": b""}, "archive") == (seen(opened), opened.kind)


@pytest.mark.parametrize(
    "entries", ({"sys/class/kfd/kfd/topology/generation_id": b"1\n"}, {"proc/cpuinfo": b"x"}, {"logs/rank0.log": b"x"})
)
def test_a_tree_with_only_one_corner_of_a_host_is_accepted(tmp_path, entries):
    assert "archive" == open_input(put(tmp_path / "x.tar", packed(entries, "host/"))).kind


def test_the_home_of_root_makes_no_host_root_a_bundle(tmp_path):
    opened = open_input(put(tmp_path / "x.tar", packed({"root/.bashrc": b"", "logs/x": b"", "proc/cpuinfo": b"here"})))

    assert b"here" == opened.tree.get("root/proc/cpuinfo").data


def test_this_host_is_read_in_place():
    opened = open_input("/")

    assert ("directory", "/proc/version") == (opened.kind, opened.tree.get("root/proc/version").origin)


def test_equal_inputs_have_the_digest_of_their_bytes(tmp_path):
    data = gzip.compress(packed(HOST), mtime=0)
    digests = {open_input(put(tmp_path / name, data)).sha256 for name in ("a.tar.gz", "b")} | {open_input("-", stdin=data).sha256}

    assert 1 == len(digests) and 64 == len(digests.pop())


# -- several hosts


TWO = {**{f"a/{name}": entry for name, entry in HOST.items()}, "b/proc/cpuinfo": b"of b", "b/deep/proc/cpuinfo": b"x"}


def test_several_hosts_are_named_and_none_is_guessed(tmp_path):
    with pytest.raises(InputError) as caught:
        open_input(put(tmp_path / "x.tar", packed(TWO, "hosts/")))

    assert (f"{tmp_path}/x.tar: holds several hosts: hosts/a, hosts/b", "pick one with --host NAME") == (
        str(caught.value),
        caught.value.hint,
    )


@pytest.mark.parametrize("host", ("b", "hosts/b"))
def test_one_of_several_hosts_is_picked_by_name(tmp_path, host):
    assert {"root/proc/cpuinfo": b"of b", "root/deep/proc/cpuinfo": b"x"} == seen(
        open_input(put(tmp_path / "x.tar", packed(TWO, "hosts/")), host=host)
    )


def test_a_bundle_is_picked_by_its_host_name(tmp_path):
    entries = {"one/manifest.json": MANIFEST.to_json(), "two/manifest.json": MANIFEST._replace(hostname="other").to_json()}

    assert "other" == open_input(put(tmp_path / "x.tar", packed(entries)), host="other").manifest.hostname


def test_a_host_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="no host c; it holds: a, b"):
        open_input(put(tmp_path / "x.tar", packed(TWO)), host="c")


# -- texts


def test_environments_of_foreign_inputs_are_redacted(tmp_path):
    opened = open_input(put(tmp_path / "x.tar", packed({"proc/1/environ": b"PASSWORD=secret\0LOCAL_RANK=3\0"}, "top/")))

    assert b"LOCAL_RANK=3\0" == opened.tree.get("root/proc/1/environ").data


# -- bad input


GOOD_GZ = gzip.compress(packed(HOST), mtime=0)
BAD = {
    "empty": (b"", "empty"),
    "zeros": (bytes(10_240), "zero bytes only: an empty archive or a failed copy"),
    "random": (random.Random(1).randbytes(10_000), "neither an archive nor a text"),
    "program": (b"\x7fELF" + bytes(100) + random.Random(2).randbytes(1000), "neither an archive nor a text"),
    "cut gzip": (GOOD_GZ[:-20], "cut: its gzip data ends early"),
    "cut tar": (packed(HOST)[:1500], "cut after proc/cpuinfo: the end of the archive is missing"),
    "cut tar in gzip": (gzip.compress(packed(HOST)[:1024]), "cut after proc/cpuinfo: the end of the archive is missing"),
    "zip": (b"PK\x03\x04xxxx", "a zip archive"),
    "gzip of nothing": (gzip.compress(b"", mtime=0), "empty"),
    "other tar": (packed({"usr/bin/true": b"x"}), "no evidence: no folder in it holds proc, sys, root, commands or logs"),
    "bomb": (gzip.compress(bytes(40 << 20)), "unpacks to more than 200 times its size"),
    "newer": (
        packed({"manifest.json": b'{"format":"numaaudit.bundle/2"}'}),
        "manifest.json: made by a newer numaaudit (numaaudit.bundle/2)",
    ),
    "damaged manifest": (packed({"manifest.json": b'{"format":"numaaudit.bundle/1"'}), "manifest.json: damaged: "),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line_that_names_it(tmp_path, case):
    data, reason = BAD[case]
    path = put(tmp_path / "in", data)

    with pytest.raises(InputError) as caught:
        open_input(path)
    assert str(caught.value).startswith(f"{path}: {reason}") and "\n" not in str(caught.value) and caught.value.hint


def test_an_empty_directory_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="no evidence"):
        open_input(str(tmp_path))
    with pytest.raises(InputError, match="none: No such file or directory"):
        open_input(str(tmp_path / "none"))


def test_a_text_above_the_limit_is_refused(tmp_path):
    with pytest.raises(LimitError, match="in: a text larger than 1 KiB"):
        open_input(put(tmp_path / "in", b"text\n" * 300), limits=LIMITS._replace(member_bytes=1024))


def test_a_manifest_above_the_limit_is_refused(tmp_path):
    with pytest.raises(LimitError, match="manifest.json larger than 64 B"):
        open_input(put(tmp_path / "in", packed({"manifest.json": MANIFEST.to_json()})), limits=LIMITS._replace(document_bytes=64))


def test_a_member_that_cannot_be_evidence_is_a_gap_at_its_bundle_path(tmp_path):
    hostile = packed(HOST, "top/")[: -len(END)] + member("top/proc/7/fifo", kind=FIFO) + member("top/../x") + END
    opened = open_input(put(tmp_path / "x.tar", hostile))

    assert ("root/proc/7/fifo", "unrecognised", "a FIFO") == (opened.gaps[0].path, *opened.tree.get("root/proc/7/fifo")[::2])
    assert ["root/proc/7/fifo", "root/../x", "manifest.json"] == [gap.path for gap in opened.gaps]


def test_a_hostile_member_of_our_own_bundle_is_refused_by_name(tmp_path):
    data = member("manifest.json", MANIFEST.to_json()) + member("root/../../etc/cron.d/x", b"") + END

    with pytest.raises(InputError, match=r"x.tar: member root/../../etc/cron.d/x: a name with \.\."):
        open_input(put(tmp_path / "x.tar", data))


def test_a_directory_full_of_traps_is_read_without_touching_this_host(tmp_path):
    (tmp_path / "proc" / "1").mkdir(parents=True)
    (tmp_path / "proc" / "cpuinfo").symlink_to("/etc/shadow")
    (tmp_path / "proc" / "meminfo").symlink_to("../../../../../../../etc/passwd")
    (tmp_path / "proc" / "self").symlink_to("self")
    (tmp_path / "sys").symlink_to("/sys")
    os.mkfifo(tmp_path / "proc" / "stat")
    with open(tmp_path / "proc" / "huge", "wb") as file:
        file.truncate(10 << 30)
    tree = open_input(str(tmp_path)).tree
    paths = ("cpuinfo", "meminfo", "self", "stat", "huge", "1")

    assert ["absent", "absent", "absent", "absent", "cut", "absent"] == [tree.get("root/proc/" + path).kind for path in paths]
    assert [] == tree.glob("root/sys/*")


def test_manifests_of_other_programs_are_no_hosts(tmp_path):
    entries = {"manifest.json": b'[{"Config":"x.json"}]', "layer/proc/cpuinfo": b"x"}

    assert {"root/proc/cpuinfo": b"x"} == seen(open_input(put(tmp_path / "x.tar", packed(entries))))


def test_a_zip_is_told_what_to_do(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("proc/cpuinfo", "x")

    with pytest.raises(InputError) as caught:
        open_input(str(tmp_path / "x.zip"))
    assert "unpack it and name the directory" == caught.value.hint
