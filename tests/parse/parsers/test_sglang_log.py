"""What SGLang says in a log: (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of each line."""

import pytest

from numaaudit.parse.claim import Claims
from numaaudit.parse.parsers.sglang_log import PARSER, parse

LINES = [
    ("Process 42 gpu_id 3 is running on CPUs: [24, 25]", ("binding", None, 42, None, None, 3, "24-25", None)),
    ("[TP0] Bound to NUMA node 0 for GPU 0", ("binding", None, None, None, 0, 0, None, "0")),
    (
        "(script='#!/bin/sh\\nexec numactl --physcpubind=0-3 --membind=0 /usr/bin/python3', logical_gpu_id=0, physical_gpu_id=4, X=4,5)",
        ("binding", "numactl", None, None, None, 4, "0-3", "0"),
    ),
    (
        "NUMA node 1 has no CPU cores allowed by the current affinity [0, 1], skipping NUMA binding for GPU 4.",
        ("refused", None, None, None, None, 4, None, "1"),
    ),
    (
        "NUMA memory policy not permitted; binding CPUs only to NUMA node 1. x",
        ("refused", "memory-policy", None, None, None, None, None, "1"),
    ),
    ("init_threads_binding: numa_index=0, world_size=2, local_omp_cpuid=0,1,2", ("binding", "openmp", None, None, None, None, "0-2", None)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_becomes_a_claim(line, expected, facts):
    found = parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [("sglang", 2, line.strip(), expected)]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_line_is_recognised(line, expected):
    assert [match[0] for match in PARSER.matches(f"first\n{line}\nlast\n")] == [line]


def test_other_texts_claim_nothing():
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())
