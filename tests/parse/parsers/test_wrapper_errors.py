"""What numactl and taskset says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.wrapper_errors import PARSER, parse

LINES = [
    ("libnuma: Warning: cpu argument 42-47,90-95 is out of range", ("refused", "numactl", None, None, None, None, "42-47,90-95", None)),
    ("[rank4]: libnuma: Warning: node argument 1 is out of range", ("refused", "numactl", None, None, 4, None, None, "1")),
    ("libnuma: Warning: cpu argument !5 is out of range", ("refused", "numactl", None, None, None, None, None, None)),
    ("taskset: failed to set pid 4549's affinity: Invalid argument", ("refused", "taskset", 4549, None, None, None, None, None)),
    ("sched_setaffinity: Invalid argument", ("refused", "sched_setaffinity", None, None, None, None, None, None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("numactl", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
