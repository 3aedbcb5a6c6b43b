"""Which mappings of a process are sampled, and as what kind."""

import mmap
from pathlib import Path

import pytest

from numaaudit.collect.mappings import Mapping, mappings_of

HUGETLBFS = "41 25 0:38 / /dev/hugepages rw,relatime shared:16 - hugetlbfs hugetlbfs rw,pagesize=2M\n"


def line(name="", access="rw-p", device="00:00"):
    return f"7f0000000000-7f0000002000 {access} 00000000 {device} 781576    {name}\n"


@pytest.mark.parametrize(
    ("name", "access", "kind"),
    [
        ("", "rw-p", "anon"),
        ("", "r--p", "anon"),
        ("[heap]", "rw-p", "anon"),
        ("[stack]", "rw-p", "anon"),
        ("[stack:12]", "rw-p", "anon"),
        ("[anon:glibc: malloc]", "rw-p", "anon"),
        ("[anon_shmem:pinned]", "rw-s", "pinned"),
        ("/dev/zero (deleted)", "rw-s", "pinned"),
        ("/memfd:buffer (deleted)", "rw-s", "shm"),
        ("/dev/shm/ring", "rw-s", "named-shm"),
        ("/SYSV00000000 (deleted)", "rw-s", "named-shm"),
        ("/dev/nvidiactl", "rw-s", "driver"),
        ("/anon_hugepage (deleted)", "rw-p", "hugetlb"),
        ("/usr/lib/libtorch.so with\\012blanks", "rw-p", "file"),
    ],
)
def test_a_mapping_is_of_the_kind_that_its_name_and_access_say(name, access, kind):
    assert mappings_of(line(name, access)) == [Mapping(0x7F0000000000, 0x7F0000002000, kind)]


@pytest.mark.parametrize(
    ("name", "access"),
    [
        ("", "---p"),
        ("[vdso]", "r-xp"),
        ("[vvar_vclock]", "r--p"),
        ("/dev/nvidia0", "rw-s"),
        ("/models/weights.safetensors", "r--s"),
        ("/usr/lib/libtorch.so", "r-xp"),
        ("anon_inode:[io_uring]", "rw-s"),
    ],
)
def test_reserved_addresses_devices_and_files_are_left_out(name, access):
    assert mappings_of(line(name, access)) == []


def test_what_lies_on_a_hugetlbfs_is_huge_whatever_its_name():
    maps = line("/dev/hugepages/pool", "rw-s", "00:26") + line("/SYSV00000000 (deleted)", "rw-s", "00:11")

    assert [each.kind for each in mappings_of(maps, HUGETLBFS)] == ["hugetlb", "named-shm"]


def test_what_shares_a_device_with_huge_anonymous_pages_is_huge():
    maps = line("/anon_hugepage (deleted)", device="00:11") + line("/SYSV00000000 (deleted)", "rw-s", "00:11")

    assert [each.kind for each in mappings_of(maps)] == ["hugetlb", "hugetlb"]


@pytest.mark.parametrize("text", ["", "\0", "no mapping\n", "7f0000002000-7f0000000000 rw-p 00000000 00:00 0 \n", line()[:30]])
def test_other_text_gives_nothing(text):
    assert mappings_of(text, text) == []


def test_a_live_process_has_all_that_was_mapped():
    with mmap.mmap(-1, 1 << 20):
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")

    assert {"anon", "pinned", "file"} <= {each.kind for each in mappings_of(maps, Path("/proc/self/mountinfo").read_text(encoding="utf-8"))}
