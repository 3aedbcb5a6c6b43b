import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import Stat
from numaaudit.parse.parsers.proc_stat import parse

TAIL = "0 0 0 -1 4194560 100 0 0 0 700 55 0 0 20 0 96 0 812345 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 37 0 0 0 0 0\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (f"4242 (python3) S 41 {TAIL}", Stat(4242, "python3", "S", 41, 700, 55, 96, 812345, 37)),
        (f"4242 (we) ird ) name) R 41 {TAIL}", Stat(4242, "we) ird ) name", "R", 41, 700, 55, 96, 812345, 37)),
        (f"4242 (python3) S 41 {TAIL}\0", Stat(4242, "python3", "S", 41, 700, 55, 96, 812345, 37)),
        ("1 (init) S 0 1 1 0 -1 4194560 100 0 0 0 7 5 0 0 20 0 1 0 2", Stat(1, "init", "S", 0, 7, 5, 1, 2, None)),
    ],
)
def test_a_stat_line_gives_the_record(text: str, record: Stat) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4242 (python3) S 1 2",
        "4242 python3 S",
        f"x (a) S 41 {TAIL}",
        f"4242 (a) S 41 {TAIL}".replace(" 37 ", " 99999 "),
        f"-2 (a) S 41 {TAIL}",
    ],
)
def test_a_text_that_is_no_stat_line_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
