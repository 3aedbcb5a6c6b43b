import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.cgroup_numa_stat import CgroupNumaStat, NumaStatRow, parse


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("anon N0=2306904064 N3=0\nfile N0=1 N3=2\n\0",
         CgroupNumaStat("bytes", (NumaStatRow("anon", ((0, 2306904064), (3, 0))), NumaStatRow("file", ((0, 1), (3, 2)))))),
        ("total=12 N0=10 N1=2\nhierarchical_total=12 N0=10 N1=2\n",
         CgroupNumaStat("pages", (NumaStatRow("total", ((0, 10), (1, 2))), NumaStatRow("hierarchical_total", ((0, 10), (1, 2)))))),
    ],
)  # fmt: skip
def test_both_versions_give_rows_with_their_unit(text: str, record: CgroupNumaStat) -> None:
    assert parse(text) == record


def test_a_row_is_found_by_name() -> None:
    stat = parse("anon N0=5 N1=0\n")
    assert (stat.by_node("anon"), stat.by_node("shmem")) == ({0: 5, 1: 0}, None)


@pytest.mark.parametrize("text", ["", "anon N0=5\ntotal=5 N0=5\n", "anon N99999=5\n", "anon N0\n", "anon N0=-5\n", "Anon N0=5\n"])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
