"""What torchrun says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.torchrun_log import PARSER, parse

LINES = [
    (
        " numa_options : NumaOptions(affinity_mode=<AffinityMode.NODE: 'node'>, x=False)",
        ("binding", "node", None, None, None, None, None, None),
    ),
    ("Failed to apply NUMA binding for input={'device_index': 3, 'x': 1}", ("refused", None, None, None, 3, None, None, None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("torchrun", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
