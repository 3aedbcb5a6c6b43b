"""What NCCL says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.nccl_log import PARSER, parse

LINES = [
    ("h:70:71 [0] NCCL INFO Setting affinity for GPU 3 to ff,00000000", ("binding", None, 70, 71, None, 3, "32-39", None)),
    ("(RayWorker pid=5) h:70:71 [1] NCCL INFO Setting affinity for GPU 1 to f", ("binding", None, 70, 71, None, 1, "0-3", None)),
    ("h:70:71 [3] NCCL INFO ncclTopoGetCpuAffinity: Affinity for GPU 3 is 24-31.", ("binding", None, 70, 71, None, 3, "24-31", None)),
    ("NCCL INFO Affinity for GPU 3 is empty, ignoring.", ("refused", None, None, None, None, 3, None, None)),
    ("h:70:72 [3] NCCL INFO [Proxy Service] Device 3 CPU core 27", ("thread", "proxy", 70, 72, None, 3, "27", None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("nccl", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())


def test_both_masks_stand_beside_the_result(facts):
    text = "Affinity for GPU 3 is empty, ignoring. (GPU affinity = 0-31 ; CPU affinity = 32-63).\n"
    assert [facts(claim)[:2] + facts(claim)[6:7] for claim in parse(text).claims] == [
        ("refused", None, "0-31"),
        ("binding", "gpu-affinity", "0-31"),
        ("binding", "process-affinity", "32-63"),
    ]
