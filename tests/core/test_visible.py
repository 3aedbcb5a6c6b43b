"""Foreign text shown, not obeyed."""

import pytest

from numaaudit.core.visible import one_line, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain äöü 中", "plain äöü 中"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb", "a\\u200bb"),
        ("\x9b1m", "\\x9b1m"),
        ("a\tb\n", "a\tb\n"),
    ],
)
def test_visible(text, expected):
    assert visible(text) == expected


def test_one_line():
    assert one_line("a\r\n\tb") == "a b"
