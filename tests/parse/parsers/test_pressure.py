import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.pressure import Pressure, Stall, parse

SOME = "some avg10=0.72 avg60=100.00 avg300=1.19 total=21292377\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (SOME, Pressure(Stall(0.72, 100.0, 1.19, 21292377), None)),
        (
            SOME + "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n\0",
            Pressure(Stall(0.72, 100.0, 1.19, 21292377), Stall(0.0, 0.0, 0.0, 0)),
        ),
    ],
)
def test_the_lines_give_the_record(text: str, record: Pressure) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "most avg10=0.72 avg60=1 avg300=1.19 total=1\n", SOME[:-20], SOME.replace("0.72", "-0.72")])
def test_a_line_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
