"""Times, read and printed."""

import pytest

from numaaudit.core.durations import format_seconds, parse_duration
from numaaudit.core.errors import ParseError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30.0), ("500ms", 0.5), ("2m", 120.0), ("1h", 3600.0), ("30", 30.0), ("1.5s", 1.5), (" 2s ", 2.0), ("0", 0.0)],
)
def test_reads_times(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "1 s", "nan", "inf", "1e3", "30sec", "1d", "9" * 10, "\u0661s", "1s\n1s"])
def test_refuses_what_is_no_time(text):
    with pytest.raises(ParseError, match="not a time"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(30.0, "30 s"), (30.0421, "30 s"), (0.5, "0.5 s"), (0.25, "0.25 s"), (100.0, "100 s"), (1.96, "2 s"), (0.0, "0 s")],
)
def test_prints_seconds(seconds, text):
    assert format_seconds(seconds) == text
