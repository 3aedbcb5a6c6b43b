"""Sizes, read and printed."""

import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.units import counted, format_bytes, parse_bytes


@pytest.mark.parametrize(("text", "expected"), [("734744 kB", 734744 * 1024), ("64 MiB", 64 << 20), ("1", 1), ("2G", 2 << 30), ("0 B", 0)])
def test_reads_sizes(text, expected):
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "kB", "1.5 GB", "-1", "1 XB", "9" * 30])
def test_refuses_what_is_no_size(text):
    with pytest.raises(ParseError):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("size", "expected"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (64 << 20, "64 MiB"), (3 << 40, "3 TiB"), (5 << 50, "5120 TiB")]
)
def test_prints_sizes(size, expected):
    assert format_bytes(size) == expected


def test_counts_things():
    assert [counted(number, "rank") for number in (0, 1, 2)] == ["0 ranks", "1 rank", "2 ranks"]
