import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.date import PARSER, Date, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thu Nov 26 10:15:00 UTC 2026\n", "2026-11-26T10:15:00Z"),
        ("Wed Jan  6 01:02:03 GMT 2027\n", "2027-01-06T01:02:03Z"),
        ("2026-11-26T10:15:00+00:00", "2026-11-26T10:15:00Z"),
        ("Thu Nov 26 11:15:00 CET 2026\n", None),
        ("Thu Nov 26 10:15:00 AM UTC 2026\n", None),
        ("2026-11-26T11:15:00+01:00", None),
    ],
)
def test_only_utc_is_a_time_of_the_collection(text, expected):
    assert parse(text) == Date(expected)


@pytest.mark.parametrize("text", ["", "Thu Nov 26\n", "at 2026-11-26T10:15:00Z it began\n"])
def test_other_texts_are_refused(text):
    with pytest.raises(ParseError):
        parse(text)


def test_a_line_of_its_own_is_recognised():
    text = "$ date\nThu Nov 26 10:15:00 UTC 2026\nseen on Thu Nov 26 10:15:00 UTC 2026\n"

    assert [match.start() for match in PARSER.matches(text)] == [7]
