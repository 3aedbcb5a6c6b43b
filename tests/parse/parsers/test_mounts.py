import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.mounts import Mount, Mounts, parse


def test_the_lines_give_the_mounts_with_blanks_decoded() -> None:
    text = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\nnodev /mnt/huge\\040pages hugetlbfs rw,pagesize=1024M 0 0\n\0"
    assert parse(text) == Mounts(
        (
            Mount("cgroup2", "/sys/fs/cgroup", "cgroup2", ("rw", "nosuid")),
            Mount("nodev", "/mnt/huge pages", "hugetlbfs", ("rw", "pagesize=1024M")),
        )
    )


def test_mounts_are_found_by_kind() -> None:
    mounts = parse("a /x tmpfs rw 0 0\nb /y ext4 rw 0 0\nc /z tmpfs ro 0 0\n")
    assert [mount.target for mount in mounts.of_kind("tmpfs")] == ["/x", "/z"]


@pytest.mark.parametrize(("text", "line"), [("prose\n", 1), ("a /x tmpfs rw 0 0\nb /y ext4\n", 2)])
def test_a_line_that_is_no_mount_is_refused(text: str, line: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == line
