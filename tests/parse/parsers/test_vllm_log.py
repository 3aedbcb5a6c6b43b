"""What vLLM says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.vllm_log import PARSER, parse

LINES = [
    (
        "Binding worker subprocess (local_rank=2, gpu_index=6) to CPUs 8-11 and NUMA node 1",
        ("binding", None, None, None, 2, 6, "8-11", "1"),
    ),
    ("Binding worker subprocess (local_rank=2, gpu_index=2) to NUMA node 1", ("binding", None, None, None, 2, 2, None, "1")),
    ("Binding EngineCore subprocess (local_rank=0) to NUMA nodes 0,1", ("binding", "engine-core", None, None, 0, None, None, "0-1")),
    ("(W rank=1 pid=7) INFO auto thread-binding list: 12,13", ("binding", None, 7, None, 1, None, "12-13", None)),
    ("(VllmWorkerProcess pid=7) INFO 11-22 cpu_worker.py:199] \tOMP tid: 448, core 91", ("thread", None, 7, 448, None, None, "91", None)),
    ("\tlocal_rank=0, core ids=[64, 65]", ("binding", None, None, None, 0, None, "64-65", None)),
    (
        "DEBUG Worker_2 affinity: policy: bind, preferred node: 1, physcpubind: 32 33, membind: 1",
        ("shown", None, None, None, 2, None, "32-33", "1"),
    ),
    ("numactl args '--cpunodebind=1 --membind=1' rejected; falling back", ("refused", "numactl", None, None, None, None, None, "1")),
    (
        "CPU affinity is already constrained for this process. Skipping automatic NUMA binding; x",
        ("refused", "already-constrained", None, None, None, None, None, None),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("vllm", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
