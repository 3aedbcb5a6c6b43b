import re

import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.parse.claim import (
    BINDING,
    Claim,
    Claims,
    cpus_in,
    cpus_of_mask,
    log_lines,
    mems_in,
    pid_of,
    rank_of,
    read_claims,
)

SAYS = r"bound to (\S+)"


def claims(text: str) -> Claims:
    return read_claims(text, "tool", ((SAYS, lambda said: (said.claim(BINDING, cpus=cpus_in(said.match[1])),)),))


def test_ranks_that_interleave_are_told_apart_by_their_prefixes() -> None:
    text = "(Worker_TP1 pid=11) INFO \x1b[1mbound to 4-7\x1b[0m\nnoise\n[rank0]: bound to 0-3\n"
    assert claims(text) == Claims(
        (
            Claim("tool", "binding", None, 11, None, 1, None, CpuSet.parse("4-7"), None, 1, "(Worker_TP1 pid=11) INFO bound to 4-7"),
            Claim("tool", "binding", None, None, None, 0, None, CpuSet.parse("0-3"), None, 3, "[rank0]: bound to 0-3"),
        )
    )


def test_an_ordinary_log_claims_nothing() -> None:
    assert claims("all is well\n") == Claims(())


@pytest.mark.parametrize(
    ("prefix", "rank"),
    [
        ("(VllmWorker rank=3 pid=9) ", 3), ("[rank2]: ", 2), ("[1,5]<stdout>: ", 5), ("[2031-01-02 03:04:05 TP1] ", 1),
        ("(Worker_TP2_EP2 pid=1) ", 2), ("7: ", 7), ("[2031-01-02 DP1 TP0] ", None), ("(EngineCore_0 pid=4) ", None), ("", None),
    ],
)  # fmt: skip
def test_rank_of_a_prefix(prefix: str, rank: int | None) -> None:
    assert rank_of(prefix) == rank


def test_pid_of_a_prefix() -> None:
    assert (pid_of("(RayWorkerWrapper pid=62, ip=10.0.0.1) "), pid_of("pid=62 ")) == (62, None)


def test_lists_in_the_notations_of_logs() -> None:
    want = CpuSet.parse("0-1,8")
    assert [cpus_in(text) for text in ("[0, 1, 8]", "{0, 1, 8}", "0 1 8", "0-1,8", "[[0, 1, 8]]")] == [want] * 5
    assert [cpus_in(text) for text in (None, "[0, 1, ...]", "x", "0-999999")] == [None] * 4
    assert (mems_in("[0]"), cpus_of_mask("0xff"), cpus_of_mask("zz")) == (NodeSet.parse("0"), CpuSet.parse("0-7"), None)


def test_lines_in_a_row_are_one_part() -> None:
    assert [match[0] for match in re.finditer(log_lines("a=", "b="), "x\n1 a=2\n b=3\ny\na=4\n", re.M)] == ["1 a=2\n b=3", "a=4"]
