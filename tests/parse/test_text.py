from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.parse.text import (
    cpus_or_none,
    int_or_none,
    known,
    lines_of,
    nodes_or_none,
    strip_ansi,
)


def test_removes_colour_codes_whole_or_mangled() -> None:
    assert strip_ansi("\x1b[4mGPU0\x1b[0m \ufffd[4mGPU1\ufffd[0m ^[[1;31mGPU2^[[0m [4mGPU3[0m") == "GPU0 GPU1 GPU2 GPU3"


def test_removes_window_titles_and_cursor_moves() -> None:
    assert strip_ansi("\x1b]0;host\x07a\x1b[2Kb\x1b[?25l") == "ab"


def test_leaves_brackets_of_the_text() -> None:
    assert strip_ansi("GPU[0]: cpus [0, 1] [N/A]") == "GPU[0]: cpus [0, 1] [N/A]"


def test_lines_lose_their_ends() -> None:
    assert lines_of("a\r\nb\rc\n") == ["a", "b", "c", ""]


def test_what_the_tool_does_not_know_is_none() -> None:
    assert [known(cell) for cell in ("N/A", " - ", "", "[Not Supported]", "0")] == [None, None, None, None, "0"]


def test_lists_that_cannot_be_read_are_none() -> None:
    assert (cpus_or_none("0-3"), cpus_or_none("N/A"), cpus_or_none("3-1"), cpus_or_none(None)) == (CpuSet.parse("0-3"), None, None, None)
    assert (nodes_or_none("0,2"), nodes_or_none("9999")) == (NodeSet.parse("0,2"), None)


def test_numbers_are_decimal_and_short() -> None:
    assert [int_or_none(cell) for cell in ("7", " 12 ", "-1", "x", "", None, "٣", "9" * 19)] == [7, 12, None, None, None, None, None, None]
