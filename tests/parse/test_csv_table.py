import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.csv_table import Row, read_table


def test_reads_units_unknown_cells_and_line_numbers() -> None:
    text = "$ tool\npid, name, used [MiB]\n1, a, 5\n2, [N/A], [Not Supported]\n$ exit\n"
    assert read_table(text, lambda names: "pid" in names, "name") == [
        Row({"pid": "1", "name": "a", "used": "5"}, {"used": "MiB"}, 3),
        Row({"pid": "2", "name": None, "used": None}, {"used": "MiB"}, 4),
    ]


def test_a_comma_in_a_name_does_not_shift_the_cells() -> None:
    assert read_table("pid, name, used\n1, a, b, 5\n", lambda names: "pid" in names, "name")[0].cells == {
        "pid": "1",
        "name": "a, b",
        "used": "5",
    }


@pytest.mark.parametrize("text", ["", "index, uuid\n0, GPU-1\n", "PID, Name\n"])
def test_without_a_wanted_header_it_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_table(text, lambda names: "pid" in names, "name")
