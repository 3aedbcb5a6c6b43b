"""What Slurm says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.slurm_log import PARSER, parse

LINES = [
    ("cpu-bind=MASK - h01, task  3  1 [42]: mask 0xff00 set", ("binding", "mask", 42, None, 3, None, "8-15", None)),
    ("cpu-bind-cores=MASK - h01, task  0  0 [42]: mask 0x1 set FAILED", ("refused", "mask", 42, None, 0, None, "0", None)),
    ("mem-bind=LOC - h01, task  3  3 [42]: mask 0x2 set", ("binding", "loc", 42, None, 3, None, None, "1")),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("slurm", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
