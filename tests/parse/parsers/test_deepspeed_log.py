"""What DeepSpeed says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.deepspeed_log import PARSER, parse

LINES = [
    (
        "process 42 spawned with command: ['numactl', '-m', '0', '-C', '0-7', '/usr/bin/python3', '-u', '-m', 't', '--local_rank=1']",
        ("binding", None, 42, None, 1, None, "0-7", "0"),
    ),
    (
        "cmd = python -m deepspeed.launcher.launch --bind_cores_to_rank --bind_core_list=0-3 t.py",
        ("binding", "requested", None, None, None, None, "0-3", None),
    ),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: 'numactl'",
        ("refused", "numactl-missing", None, None, None, None, None, None),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("deepspeed", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
