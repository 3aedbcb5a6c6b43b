import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.uname import PARSER, Uname, parse

LINE = "Linux gpu07 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64 GNU/Linux\n"


def test_reads_the_line_among_others() -> None:
    assert parse("$ uname -a\n" + LINE) == Uname("gpu07", "6.1.0-18-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)", "x86_64")


def test_machine_may_be_printed_three_times() -> None:
    assert parse("Linux n1 4.18.0-80.el8 #1 SMP Wed Mar 13 12:02:46 UTC 2019 aarch64 aarch64 aarch64 GNU/Linux").machine == "aarch64"


@pytest.mark.parametrize("text", ["", "Linux\n", "Darwin m 22.1 #1 x86_64\n", "Linux version 6.1.0 (gcc) #1 SMP\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_line() -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + LINE)] == [4]
