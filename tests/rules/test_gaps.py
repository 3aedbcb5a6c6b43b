"""Gaps that several rules name."""

import pytest

from numaaudit.bundle.tree import File
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import parse
from numaaudit.rules.gaps import cut_maps


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("root/proc/7/numa_maps", "only its first bytes were read; `cat /proc/7/numa_maps` reads it whole"),
        ("pasted/ticket.txt", "only a part of a numa_maps is shown"),
    ],
)
def test_a_part_of_a_numa_maps_is_said_to_be_read_or_shown(path, reason):
    gap = cut_maps(Found(parse("7f0000000000 default\n"), File(path, b"", path)))

    assert (gap.kind, gap.path, gap.reason) == ("cut", path, reason)
