import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.taskset import (
    PARSER,
    Taskset,
    TasksetAffinity,
    parse,
)


def cpus(text: str) -> CpuSet:
    return CpuSet.parse(text)


def test_the_new_affinity_counts_and_the_current_one_is_kept() -> None:
    text = "pid 7's current affinity list: 0,1\npid 7's new affinity list: 1\npid 8's current affinity list: 0-9,20-29\n"
    assert parse(text) == Taskset(
        (TasksetAffinity(7, cpus("1"), cpus("0-1"), 2), TasksetAffinity(8, cpus("0-9,20-29"), None, 3)),
    )


def test_masks_are_hexadecimal() -> None:
    assert parse("pid 7's current affinity mask: 10\n").affinities == (TasksetAffinity(7, cpus("4"), None, 1),)


@pytest.mark.parametrize(
    "line",
    [
        "pid 7 的当前亲和力列表：2",
        "aktuelle Bezugsliste für PID 7: 2",
        "aktuelle Bezugsmaske für PID 7: 4",
        "pid 7 の現在の親和性リスト: 2",
    ],
)
def test_other_languages(line: str) -> None:
    assert parse(line).affinities == (TasksetAffinity(7, cpus("2"), None, 1),)


def test_list_and_mask_of_one_pid_agree() -> None:
    assert parse("pid 7's current affinity mask: ff\npid 7's current affinity list: 0-7\n").affinities[0].previous is None


def test_a_lone_number_that_could_be_either_is_not_read() -> None:
    with pytest.raises(ParseError):
        parse("pid 7 qwertz affinit: 2\n")


@pytest.mark.parametrize("text", ["", "pid 7\n", "pid 7's current affinity list: x\n", "pid 7's current affinity list: 0-999999\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_lines_in_a_row_are_one_part() -> None:
    text = "$ x\npid 7's current affinity list: 0\npid 8's current affinity list: 1\n"
    assert [match.start() for match in PARSER.matches(text)] == [4]
