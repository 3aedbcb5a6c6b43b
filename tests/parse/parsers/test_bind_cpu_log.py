"""What DeepInfer says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.bind_cpu_log import PARSER, parse

LINES = [
    ("bind_cpu gpu_id: 3, cpus: [24, 25, 26].", ("binding", None, None, None, None, 3, "24-26", None)),
    ("bind_cpu gpu_id: 3, cpus: [24, 25, 2", ("binding", None, None, None, None, 3, None, None)),
    ("[rank1]: WARNING NUMA 绑定失败: Traceback", ("refused", "numa", None, None, 1, None, None, None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("deepinfer", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
