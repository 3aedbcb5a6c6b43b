"""Refused affinity calls as strace and Python print them."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.parse.parsers.refused_affinity import PARSER, parse


def told(text):
    return [(claim.kind, claim.pid, claim.rank, str(claim.cpus), claim.line) for claim in parse(text).claims]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sched_setaffinity(0, 16, [110])         = -1 EINVAL (Invalid argument)", ("refused", None, None, "110", 1)),
        ("[pid 77] sched_setaffinity(77, 128, [4, 5, 6]) = -1 EINVAL (Invalid argument)", ("refused", 77, None, "4-6", 1)),
        ("rank 2: cpus 64-95: OSError: [Errno 22] Invalid argument", ("refused", None, 2, "64-95", 1)),
        ("cpu 3: [Errno 1] Operation not permitted", ("refused", None, None, "3", 1)),
    ],
)
def test_a_refused_call_is_a_claim(line, expected):
    assert told(f"{line}\n") == [expected]


@pytest.mark.parametrize(
    "line", ["sched_setaffinity(0, 16, [110]) = 0", "rank 0: cpus 0-31: started", "OSError: [Errno 22] Invalid argument", ""]
)
def test_other_lines_say_nothing(line):
    assert told(line) == []


def test_a_list_that_is_too_large_gives_no_cpus():
    assert parse("cpus 0-99999999: OSError: [Errno 22] Invalid argument\n").claims[0].cpus is None


def test_it_is_recognised_in_a_pasted_text():
    text = "$ strace app\nsched_setaffinity(0, 16, [110]) = -1 EINVAL (Invalid argument)\n"

    assert [match.start() for match in PARSER.matches(text)] == [text.index("sched")]
    assert parse(text).claims[0].cpus == CpuSet([110])
