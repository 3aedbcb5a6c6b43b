"""What is a text, and the same text as UTF-8."""

import gzip

import pytest

from numaaudit.bundle.plain_text import is_text, utf8


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", True),
        ("caf\u00e9 \x1b[31mred\x1b[0m\ttab\f\r\n".encode(), True),
        (b"from procfs\0\0\0", True),
        ("text".encode("utf-16"), True),
        (bytes(range(32)) * 8, False),
        (gzip.compress(bytes(range(256)) * 64), False),
        (b"a" * 98 + b"\1\1", False),
        (b"a" * 99 + b"\1", True),
    ],
)
def test_is_text(data, expected):
    assert is_text(data) is expected


@pytest.mark.parametrize("encoding", ("utf-8", "utf-8-sig", "utf-16"))
def test_utf8(encoding):
    assert utf8("GPU\u00b0 0".encode(encoding)) == "GPU\u00b0 0".encode()
