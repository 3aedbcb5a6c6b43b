import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.kfd_link import PCIE, XGMI, KfdLink, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("type 11\nversion_major 0\nnode_from 3\nnode_to 5\nweight 15\nmin_bandwidth 50000\nmax_bandwidth 50000\n",
         KfdLink(XGMI, 3, 5, 15, 50000, 50000)),
        ("type 2\nnode_from 8\nnode_to 0\nweight 20\nmin_bandwidth 0\n\0", KfdLink(PCIE, 8, 0, 20, None, None)),
    ],
)  # fmt: skip
def test_the_properties_give_the_record(text: str, record: KfdLink) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "type 2\n", "type 2\nnode_from 8\nnode_to 0\nweight -1\n"])
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
