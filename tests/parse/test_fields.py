import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, decimal_or_none, hugepages, kib, numbered


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("42", 42), ("18446744073709551615", 2**64 - 1)])
def test_digits_are_a_number(text: str, value: int) -> None:
    assert decimal(text) == value


@pytest.mark.parametrize("text", ["", "-1", "+1", "1_0", " 1", "1.0", "\u0663", "\u00b2", "9" * 21])
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ParseError, match="line 7"):
        decimal(text, 7)


def test_minus_one_is_the_kernels_unknown() -> None:
    assert (decimal_or_none("-1"), decimal_or_none("0")) == (None, 0)


def test_the_kernels_kb_is_1024_bytes() -> None:
    assert kib("  734744 kB") == 734744 * 1024


@pytest.mark.parametrize("text", ["12", "12 MB", "kB", "-1 kB", "12kB"])
def test_a_size_has_its_unit(text: str) -> None:
    with pytest.raises(ParseError):
        kib(text)


def test_a_count_of_huge_pages_has_no_unit() -> None:
    assert (hugepages("16"), hugepages("1024 kB")) == (16, None)


def test_blank_lines_are_left_out_and_lines_keep_their_numbers() -> None:
    assert list(numbered("a\n\n \0\n\tb \r\n\0")) == [(1, "a"), (4, "b")]
