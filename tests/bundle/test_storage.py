"""Members and Folder hold the same things, and follow no link."""

import os

import pytest

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.storage import Folder, Leaf, Link, Members, natural, read_at


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sys" / "empty").mkdir(parents=True)
    (tmp_path / "sys" / "cpu10").write_text("ten")
    (tmp_path / "sys" / "cpu2").write_text("two")
    (tmp_path / "sys" / "link").symlink_to("/etc/shadow")
    os.mkfifo(tmp_path / "sys" / "fifo")
    return tmp_path


def test_both_storages_walk_in_natural_order(folder):
    members = Members()
    for name, entry in (
        ("sys/link", Link("/etc/shadow")),
        ("sys/cpu10", Leaf("", bytes)),
        ("sys/cpu2", Leaf("", bytes)),
        ("sys/empty", None),
    ):
        members.add(name, entry)
    os.unlink(folder / "sys" / "fifo")

    for storage in (members, Folder(str(folder))):
        found = [(path, storage.kind(handle)) for path, handle in storage.walk(storage.top)]
        assert [("sys/cpu2", "file"), ("sys/cpu10", "file"), ("sys/empty", "dir"), ("sys/link", "link")] == found


def test_a_folder_tells_kinds_and_never_follows(folder):
    storage = Folder(str(folder))
    kinds = {name: storage.kind(storage.at("sys/" + name)) for name in ("cpu2", "link", "fifo", "empty")}

    assert {"cpu2": "file", "link": "link", "fifo": "other", "empty": "dir"} == kinds
    assert "/etc/shadow" == storage.target(storage.at("sys/link"))
    for name in ("link", "fifo"):
        with pytest.raises(OSError):
            storage.read(storage.at("sys/" + name))


def test_a_link_instead_of_a_folder_is_not_entered(folder, tmp_path):
    (folder / "elsewhere").symlink_to("sys")
    storage = Folder(str(folder))

    assert None is storage.at("elsewhere/cpu2")
    with pytest.raises(OSError):
        list(storage.names(storage.at("elsewhere")))


@pytest.mark.parametrize("name", ("nul\0", "\udfff", "n" * 255 + "x", "none"))
def test_names_no_file_can_have_are_not_there(folder, name):
    storage = Folder(str(folder))
    try:
        found = storage.child(storage.top, name)
    except OSError as error:
        found = error.strerror

    assert found in (None, "File name too long")


def test_a_name_outside_utf_8_is_listed_printably_and_not_found(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9")).write_text("x")
    storage = Folder(str(tmp_path))

    assert (["caf\\xe9"], None) == (list(storage.names(storage.top)), storage.at("caf\\xe9"))


def test_a_file_above_the_limit_is_not_read(folder):
    with pytest.raises(OSError, match="larger than 2 bytes"):
        storage = Folder(str(folder), LIMITS._replace(member_bytes=2))
        storage.read(storage.at("sys/cpu2"))


def test_read_at_reads_kernel_files_that_state_no_size():
    fd = os.open("/proc/self", os.O_RDONLY)
    try:
        assert read_at("stat", fd, 1 << 20).startswith(b"%d (" % os.getpid())
    finally:
        os.close(fd)


def test_descriptors_are_closed_with_the_folder(folder):
    before = len(os.listdir("/proc/self/fd"))
    storage = Folder(str(folder))
    storage.read(storage.at("sys/cpu2"))
    del storage._opened, storage

    assert before == len(os.listdir("/proc/self/fd"))


def test_members_refuse_two_things_in_one_place():
    members = Members()
    members.add("a/b", Leaf("a/b", bytes))

    assert [False, False, False, True, True, False] == [
        members.add("a/b", Leaf("a/b", bytes)), members.add("a/b/c", Leaf("", bytes)), members.add("a", Link("x")),
        members.add("./a//c", Leaf("", bytes)), members.add("a", None), members.add("a/", Leaf("", bytes)),
    ]  # fmt: skip


def test_members_count_their_folders():
    members = Members()
    members.add("a/b/c/f", Leaf("", bytes))
    members.add("a/b/g", Leaf("", bytes))
    members.add("d", None)

    assert 4 == members.num_folders


def test_natural_order_is_by_number_within_each_component():
    paths = ["cpu10/online", "cpu2/topology", "cpu2/online", "cpu02", "cpu2-x", "cpuidle", "cpu\u00b2", "9" * 5000, ""]

    assert ["", "9" * 5000, "cpu02", "cpu2/online", "cpu2/topology", "cpu2-x", "cpu10/online", "cpuidle", "cpu\u00b2"] == sorted(
        paths, key=natural
    )


@pytest.mark.parametrize("name", ("", ".", "..", "../secret", "sys/cpu2"))
def test_no_name_leads_out_of_a_folder(folder, name):
    (folder / "secret").write_text("x")
    storage = Folder(str(folder / "sys"))

    assert None is storage.child(storage.top, name)
    assert None is storage.at("../secret")


def test_folders_nested_too_deep_are_not_entered(tmp_path):
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    storage = Folder(str(tmp_path), LIMITS._replace(name_depth=2))

    assert ["a/b"] == [path for path, _ in storage.walk(storage.top)]
