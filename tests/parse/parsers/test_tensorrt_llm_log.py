"""What TensorRT-LLM says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.tensorrt_llm_log import PARSER, parse

LINES = [
    ("Worker process 42 is affined to run on the following CPUs: [0, 1] (subset", ("binding", None, 42, None, None, None, "0-1", None)),
    (
        "Worker process 42 has constrained CPU affinity but `X` is not set. Removing CPU affinity constraints.",
        ("binding", "cleared", 42, None, None, None, None, None),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("tensorrt-llm", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
