import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.claim import Claim
from numaaudit.parse.parsers.numactl_show import PARSER, NumactlShow, parse

DEFAULT = "policy: default\npreferred node: current\nphyscpubind: 0 1 2 3 \ncpubind: 0 1 \nnodebind: 0 1 \nmembind: 0 1 \npreferred: \n"


def test_reads_sets_and_the_current_node_as_none() -> None:
    both = NodeSet.parse("0-1")
    assert parse("$ numactl -s\n" + DEFAULT) == NumactlShow("default", None, CpuSet.parse("0-3"), both, both, both, 2)


def test_as_a_claim_it_is_shown_and_nobodys() -> None:
    assert parse(DEFAULT).claim == Claim(
        "numactl", "shown", "default", None, None, None, None, CpuSet.parse("0-3"), NodeSet.parse("0-1"), 1, "policy: default"
    )


def test_physcpubind_on_the_line_of_the_preferred_node() -> None:
    found = parse("policy: local\npreferred node: physcpubind: 4 5 \nmembind: 1 \n")
    assert found == NumactlShow("local", None, CpuSet.parse("4-5"), None, None, NodeSet.parse("1"), 1)


def test_preferred_node_with_a_remark() -> None:
    assert parse("policy: preferred\npreferred node: 2 (preferred-many)\n").preferred_node == 2


@pytest.mark.parametrize("text", ["", "policy:\n", "membind: 0\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_first_line() -> None:
    assert [match.start() for match in PARSER.matches("x\n" + DEFAULT)] == [2]
