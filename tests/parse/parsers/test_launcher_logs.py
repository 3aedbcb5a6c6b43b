"""The parsers of launchers' logs: each says (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes) of its lines."""

from collections.abc import Callable

import pytest

from numaaudit.parse.claim import Claim, Claims
from numaaudit.parse.parser import Parser
from numaaudit.parse.parsers import (
    bind_cpu_log,
    deepspeed_log,
    nccl_log,
    sglang_log,
    slurm_log,
    tensorrt_llm_log,
    torchrun_log,
    vllm_ascend_log,
    vllm_log,
    wrapper_errors,
)

Facts = tuple[str, str | None, int | None, int | None, int | None, int | None, str | None, str | None]


def facts(claim: Claim) -> Facts:
    cpus, mems = (None if ids is None else str(ids) for ids in (claim.cpus, claim.mems))
    return claim.kind, claim.role, claim.pid, claim.tid, claim.rank, claim.gpu, cpus, mems


BIND_CPU: list[tuple[str, Facts]] = [
    ("bind_cpu gpu_id: 3, cpus: [24, 25, 26].", ("binding", None, None, None, None, 3, "24-26", None)),
    ("bind_cpu gpu_id: 3, cpus: [24, 25, 2", ("binding", None, None, None, None, 3, None, None)),
    ("[rank1]: WARNING NUMA 绑定失败: Traceback", ("refused", "numa", None, None, 1, None, None, None)),
]
NCCL: list[tuple[str, Facts]] = [
    ("h:70:71 [0] NCCL INFO Setting affinity for GPU 3 to ff,00000000", ("binding", None, 70, 71, None, 3, "32-39", None)),
    ("(RayWorker pid=5) h:70:71 [1] NCCL INFO Setting affinity for GPU 1 to f", ("binding", None, 70, 71, None, 1, "0-3", None)),
    ("h:70:71 [3] NCCL INFO ncclTopoGetCpuAffinity: Affinity for GPU 3 is 24-31.", ("binding", None, 70, 71, None, 3, "24-31", None)),
    ("NCCL INFO Affinity for GPU 3 is empty, ignoring.", ("refused", None, None, None, None, 3, None, None)),
    ("h:70:72 [3] NCCL INFO [Proxy Service] Device 3 CPU core 27", ("thread", "proxy", 70, 72, None, 3, "27", None)),
]
VLLM: list[tuple[str, Facts]] = [
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
SGLANG: list[tuple[str, Facts]] = [
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
TORCHRUN: list[tuple[str, Facts]] = [
    (
        " numa_options : NumaOptions(affinity_mode=<AffinityMode.NODE: 'node'>, x=False)",
        ("binding", "node", None, None, None, None, None, None),
    ),
    ("Failed to apply NUMA binding for input={'device_index': 3, 'x': 1}", ("refused", None, None, None, 3, None, None, None)),
]
DEEPSPEED: list[tuple[str, Facts]] = [
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
TENSORRT: list[tuple[str, Facts]] = [
    ("Worker process 42 is affined to run on the following CPUs: [0, 1] (subset", ("binding", None, 42, None, None, None, "0-1", None)),
    (
        "Worker process 42 has constrained CPU affinity but `X` is not set. Removing CPU affinity constraints.",
        ("binding", "cleared", 42, None, None, None, None, None),
    ),
]
ASCEND: list[tuple[str, Facts]] = [
    ("INFO NPU3: main=[2 3 4]", ("binding", "main", None, None, None, 3, "2-4", None)),
    ("[migrate] NPU:0 -> NUMA [1]", ("binding", "migrate", None, None, None, 0, None, "1")),
    ("Bind cpus failed in rank2: x Skip binding cpu.", ("refused", None, None, None, 2, None, None, None)),
    ("CPU binding skipped: non-ARM CPU detected.", ("refused", "skipped", None, None, None, None, None, None)),
]
SLURM: list[tuple[str, Facts]] = [
    ("cpu-bind=MASK - h01, task  3  1 [42]: mask 0xff00 set", ("binding", "mask", 42, None, 3, None, "8-15", None)),
    ("cpu-bind-cores=MASK - h01, task  0  0 [42]: mask 0x1 set FAILED", ("refused", "mask", 42, None, 0, None, "0", None)),
    ("mem-bind=LOC - h01, task  3  3 [42]: mask 0x2 set", ("binding", "loc", 42, None, 3, None, None, "1")),
]
WRAPPERS: list[tuple[str, Facts]] = [
    ("libnuma: Warning: cpu argument 42-47,90-95 is out of range", ("refused", "numactl", None, None, None, None, "42-47,90-95", None)),
    ("[rank4]: libnuma: Warning: node argument 1 is out of range", ("refused", "numactl", None, None, 4, None, None, "1")),
    ("libnuma: Warning: cpu argument !5 is out of range", ("refused", "numactl", None, None, None, None, None, None)),
    ("taskset: failed to set pid 4549's affinity: Invalid argument", ("refused", "taskset", 4549, None, None, None, None, None)),
    ("sched_setaffinity: Invalid argument", ("refused", "sched_setaffinity", None, None, None, None, None, None)),
]
PARSERS: list[tuple[Parser, str, list[tuple[str, Facts]]]] = [
    (bind_cpu_log.PARSER, "deepinfer", BIND_CPU), (nccl_log.PARSER, "nccl", NCCL), (vllm_log.PARSER, "vllm", VLLM),
    (sglang_log.PARSER, "sglang", SGLANG), (torchrun_log.PARSER, "torchrun", TORCHRUN), (deepspeed_log.PARSER, "deepspeed", DEEPSPEED),
    (tensorrt_llm_log.PARSER, "tensorrt-llm", TENSORRT), (vllm_ascend_log.PARSER, "vllm-ascend", ASCEND),
    (slurm_log.PARSER, "slurm", SLURM),
    (wrapper_errors.PARSER, "numactl", WRAPPERS),
]  # fmt: skip
LINES = [
    pytest.param(parser, launcher, line, want, id=f"{launcher}: {line[:40]}") for parser, launcher, lines in PARSERS for line, want in lines
]


@pytest.mark.parametrize(("parser", "launcher", "line", "want"), LINES)
def test_a_line_becomes_a_claim(parser: Parser, launcher: str, line: str, want: Facts) -> None:
    found = parser.parse(f"first\n{line}\nlast\n").claims
    assert [(claim.launcher, claim.line, claim.text, facts(claim)) for claim in found] == [(launcher, 2, line.strip(), want)]


@pytest.mark.parametrize(("parser", "launcher", "line", "want"), LINES)
def test_a_line_is_recognised(parser: Parser, launcher: str, line: str, want: Facts) -> None:
    assert [match[0] for match in parser.matches(f"first\n{line}\nlast\n")] == [line]


@pytest.mark.parametrize("parse", [parser.parse for parser, _, _ in PARSERS])
def test_other_texts_claim_nothing(parse: Callable[[str], Claims]) -> None:
    assert parse("\0\ufffd NUMA node 0, cpus: [1]\n\n") == Claims(())


def test_nccl_gives_both_masks_beside_the_result() -> None:
    text = "Affinity for GPU 3 is empty, ignoring. (GPU affinity = 0-31 ; CPU affinity = 32-63).\n"
    assert [facts(claim)[:2] + facts(claim)[6:7] for claim in nccl_log.parse(text).claims] == [
        ("refused", None, "0-31"), ("binding", "gpu-affinity", "0-31"), ("binding", "process-affinity", "32-63"),
    ]  # fmt: skip


def test_vllm_ascend_names_the_roles_of_one_plan() -> None:
    found = vllm_ascend_log.parse("NPU0: main=[2 3 4]  acl=[38]  release=[[39]]\n").claims
    assert [(claim.role, str(claim.cpus)) for claim in found] == [("main", "2-4"), ("acl", "38"), ("release", "39")]
