"""verify: a bundle is as it was written, or the members that are not are named."""

import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from numaaudit.bundle.archive import write_bundle
from numaaudit.bundle.manifest import Entry, Manifest
from numaaudit.bundle.tar import END, FIFO, SYMLINK, member
from numaaudit.bundle.tree import Link, Members
from numaaudit.bundle.verify import verify_bundle
from numaaudit.core.errors import InputError

FILES = {"root/proc/7/status": b"Name:\tpython\n", "commands/lscpu.out": b""}
TASK = {"root/proc/7/task/10/stat": b"10", "root/proc/7/task/9/stat": b"nine"}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


TASK_DIGEST = sha256(b"".join(b"%s  %s\n" % (sha256(TASK[path]).encode(), path.encode()) for path in sorted(TASK)))
MANIFEST = Manifest(
    "0.1.0", "1", "gpu-host", "id", "boot", "2026-11-29T10:15:00Z",
    entries=(
        *[Entry(path, "ok", len(data), sha256(data)) for path, data in FILES.items()],
        Entry("root/proc/7/task", "ok", 6, TASK_DIGEST, files=2),
        Entry("root/proc/self", link="7"),
        Entry("root/proc/7/numa_maps", "refused", reason="Permission denied"),
    ),
)  # fmt: skip
ALL = {**FILES, **TASK, "root/proc/self": Link("7")}


def write(path, entries=ALL, unpack=False) -> str:
    """A bundle of the manifest above and these members."""
    members = Members()
    for name, entry in entries.items():
        members.add_bytes(name, entry) if isinstance(entry, bytes) else members.add(name, entry)
    target = str(path / "b.tar.gz")
    write_bundle(target, MANIFEST, members)
    if unpack:
        with tarfile.open(target) as archive:
            archive.extractall(path / "b", filter="data")
        return str(path / "b")
    return target


@pytest.mark.parametrize("unpack", (False, True))
def test_a_bundle_as_written_is_intact(tmp_path, unpack):
    result = verify_bundle(write(tmp_path, unpack=unpack))

    assert (True, ["intact (unsigned)"]) == (result.intact, result.lines)


@pytest.mark.parametrize("unpack", (False, True))
@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"root/proc/7/status": b"Name:\tPython\n"}, "damaged: root/proc/7/status"),
        ({"commands/lscpu.out": b"x"}, "damaged: commands/lscpu.out"),
        ({"root/proc/7/task/10/stat": b"11"}, "damaged: root/proc/7/task"),
        ({"root/proc/7/task/11/stat": b""}, "damaged: root/proc/7/task"),
        ({"root/proc/self": Link("8")}, "damaged: root/proc/self"),
        ({"root/proc/self": b"7"}, "damaged: root/proc/self"),
        ({"root/proc/7/status": Link("stat")}, "damaged: root/proc/7/status"),
        ({"root/proc/8/status": b""}, "not in the manifest: root/proc/8/status"),
        ({"root/proc/7/numa_maps": b"forged"}, "not in the manifest: root/proc/7/numa_maps"),
        ({"root/proc/7/task/9/stat": Link("stat")}, "damaged: root/proc/7/task"),
        ({"root/new": Link("7")}, "not in the manifest: root/new"),
        ({"root/sys/devices/system/node/node9": None}, "not in the manifest: root/sys/devices/system/node/node9"),
        ({"root/proc/7/task/11": None}, "damaged: root/proc/7/task"),
    ],
)
def test_a_change_names_its_member(tmp_path, change, line, unpack):
    result = verify_bundle(write(tmp_path, {**ALL, **change}, unpack))

    assert (False, [line]) == (result.intact, result.lines)


@pytest.mark.parametrize("gone", ("root/proc/7/status", "root/proc/self"))
def test_a_missing_member_is_named(tmp_path, gone):
    assert [f"missing: {gone}"] == verify_bundle(write(tmp_path, {path: entry for path, entry in ALL.items() if path != gone})).lines


def test_thread_files_that_are_all_gone_are_missing(tmp_path):
    assert ["missing: root/proc/7/task"] == verify_bundle(write(tmp_path, {**FILES, "root/proc/self": Link("7")})).lines


def test_a_hostile_name_stays_in_one_line(tmp_path):
    result = verify_bundle(write(tmp_path, {**ALL, "root/\nintact (unsigned)": b""}))

    assert ["not in the manifest: root/\\nintact (unsigned)"] == result.lines


def test_every_flipped_bit_of_the_members_is_found(tmp_path):
    plain = bytearray(gzip.decompress(Path(write(tmp_path)).read_bytes()))
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        spots = [entry.offset_data + byte for entry in archive if entry.name != "manifest.json" for byte in range(entry.size)]
    target = tmp_path / "flipped.tar"

    for spot in spots:
        plain[spot] ^= 1
        target.write_bytes(plain)
        assert not verify_bundle(str(target)).intact
        plain[spot] ^= 1


SIGNATURE = b"-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n"


@pytest.mark.parametrize("unpack", (False, True))
def test_a_signature_is_handed_over_with_the_bytes_that_were_signed(tmp_path, unpack):
    members = {**ALL, "manifest.json.sig": SIGNATURE}
    result = verify_bundle(write(tmp_path, members, unpack))

    assert ["intact (signature not checked: name who may sign with --allowed-signers)"] == result.lines
    assert (MANIFEST.to_json(), SIGNATURE) == (result.manifest, result.signature)


@pytest.mark.parametrize("unpack", (False, True))
@pytest.mark.parametrize("bad", (b"", b"forged", SIGNATURE + bytes(1 << 16), Link("root/proc/self")))
def test_what_is_no_signature_is_damage(tmp_path, bad, unpack):
    result = verify_bundle(write(tmp_path, {**ALL, "manifest.json.sig": bad}, unpack))

    assert (["damaged: manifest.json.sig"], b"") == (result.lines, result.signature)


def test_a_folder_in_the_place_of_the_signature_is_not_in_the_manifest(tmp_path):
    result = verify_bundle(write(tmp_path, {**ALL, "manifest.json.sig/x": SIGNATURE}))

    assert ["not in the manifest: manifest.json.sig/x"] == result.lines


def packed(folder):
    """The members of a bundle in a folder."""
    members = [(name, data) for name, data in ALL.items() if isinstance(data, bytes)] + [("manifest.json", MANIFEST.to_json())]
    return b"".join(member(f"{folder}/{name}", data) for name, data in members) + member(
        f"{folder}/root/proc/self", kind=SYMLINK, target="7"
    )


def test_what_lies_beside_a_packed_bundle_is_not_in_the_manifest(tmp_path):
    (tmp_path / "b.tar").write_bytes(packed("one") + member("one.txt") + member("other/notes/x") + END)

    assert ["not in the manifest: one.txt", "not in the manifest: other/notes/x"] == verify_bundle(str(tmp_path / "b.tar")).lines


@pytest.mark.parametrize("other", (member("other/proc/version"), packed("other")))
def test_one_of_several_hosts_is_not_verified_for_all(tmp_path, other):
    (tmp_path / "b.tar").write_bytes(packed("one") + other + END)

    with pytest.raises(InputError, match="holds several hosts"):
        verify_bundle(str(tmp_path / "b.tar"))


def test_a_name_of_two_lines_stands_for_no_two_files(tmp_path):
    empty = {"root/proc/7/task/10/stat": b"10", "root/proc/7/task/9/stat": b""}
    lines = ["%s  %s" % (sha256(data), path) for path, data in empty.items()]
    manifest = MANIFEST._replace(
        entries=(Entry("root/proc/7/task", "ok", 2, sha256("".join(f"{line}\n" for line in lines).encode()), files=2),)
    )
    members = Members()
    members.add_bytes("%s\n%s" % (next(iter(empty)), lines[1]), b"10")
    write_bundle(str(tmp_path / "b.tar"), manifest, members)

    assert verify_bundle(str(tmp_path / "b.tar")).damaged == ("root/proc/7/task",)


def test_what_has_no_manifest_cannot_be_verified(tmp_path):
    (tmp_path / "proc").mkdir()

    with pytest.raises(InputError, match="no manifest.json to verify it against"):
        verify_bundle(str(tmp_path))


def test_no_path_of_a_manifest_leads_out_of_a_directory(tmp_path):
    secret = b"not evidence"
    (tmp_path / "secret").write_bytes(secret)
    (tmp_path / "b").mkdir()
    outside = MANIFEST._replace(entries=(Entry("../secret", "ok", len(secret), sha256(secret)),))
    (tmp_path / "b" / "manifest.json").write_bytes(outside.to_json())

    assert ["missing: ../secret"] == verify_bundle(str(tmp_path / "b")).lines


def test_a_member_that_two_entries_claim_is_read_once_and_damaged(tmp_path):
    twice = MANIFEST._replace(entries=(*MANIFEST.entries, *MANIFEST.entries[:3], Entry("root", "ok", 1, "0")))
    members = Members()
    for name, entry in ALL.items():
        members.add(name, entry) if isinstance(entry, Link) else members.add_bytes(name, entry)
    write_bundle(str(tmp_path / "b.tar"), twice, members)

    assert ("root/proc/7/status", "commands/lscpu.out", "root/proc/7/task", "root") == verify_bundle(str(tmp_path / "b.tar")).damaged


def test_members_that_were_left_out_are_not_passed_over(tmp_path):
    archive = member("./manifest.json", MANIFEST._replace(entries=()).to_json()) + member("../evil") + member("root/f", kind=FIFO) + END
    (tmp_path / "b.tar").write_bytes(archive)

    assert ["not in the manifest: ../evil", "not in the manifest: root/f"] == verify_bundle(str(tmp_path / "b.tar")).lines


def test_names_outside_unicode_are_no_crash(tmp_path):
    (tmp_path / "b" / "root" / os.fsdecode(b"task\xff")).mkdir(parents=True)
    (tmp_path / "b" / "root" / os.fsdecode(b"task\xff") / "stat").write_bytes(b"1")
    strange = MANIFEST._replace(entries=(Entry("root/task\udcff", "ok", 1, "0", files=1), Entry("root/" + "n" * 300, "ok", 1, "0")))
    document = json.dumps({"format": "numaaudit.bundle/1", **strange._asdict(), "entries": [entry._asdict() for entry in strange.entries]})
    (tmp_path / "b" / "manifest.json").write_text(document)

    result = verify_bundle(str(tmp_path / "b"))
    assert (("root/task\udcff",), ("root/" + "n" * 300,)) == (result.damaged, result.missing)


def test_a_bundle_comes_by_standard_input(tmp_path):
    packed = Path(write(tmp_path)).read_bytes()

    assert ["intact (unsigned)"] == verify_bundle("-", stdin=packed).lines
    with pytest.raises(InputError, match=r"standard input: no manifest\.json"):
        verify_bundle("-", stdin=b"some text\n")
