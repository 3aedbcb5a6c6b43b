"""What vllm-ascend says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.vllm_ascend_log import PARSER, parse

LINES = [
    ("INFO NPU3: main=[2 3 4]", ("binding", "main", None, None, None, 3, "2-4", None)),
    ("[migrate] NPU:0 -> NUMA [1]", ("binding", "migrate", None, None, None, 0, None, "1")),
    ("Bind cpus failed in rank2: x Skip binding cpu.", ("refused", None, None, None, 2, None, None, None)),
    ("CPU binding skipped: non-ARM CPU detected.", ("refused", "skipped", None, None, None, None, None, None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("vllm-ascend", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())


def test_one_plan_names_several_roles():
    found = parse("NPU0: main=[2 3 4]  acl=[38]  release=[[39]]\n").claims
    assert [(claim.role, str(claim.cpus)) for claim in found] == [("main", "2-4"), ("acl", "38"), ("release", "39")]
