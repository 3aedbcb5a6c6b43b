"""Answers worked out by others for four hosts, one also with a list of visible devices, where NUMAAUDIT_CORPORA has them."""

import csv
import os
from itertools import groupby
from pathlib import Path

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import view_of
from numaaudit.launchers.prediction import Outcome
from numaaudit.launchers.registry import Request, forecast, launcher_named

CASES = Path(os.environ["NUMAAUDIT_CORPORA"]) / "reference" / "launchers_worked_cases.csv"
LAUNCHERS = {
    "accelerate_cpu_affinity": ("accelerate", {}),
    "deepinfer_bind_cpu": ("deepinfer", {}),
    "deepinfer_so_builder_pool": ("deepinfer", {"threads": "so-builder"}),
    "deepspeed_bind_cores_to_rank": ("deepspeed", {}),
    "megatron_bridge_slurm_numactl": ("megatron-bridge", {}),
    "mlperf_bindpcie_exclusive": ("bindpcie", {"cpu": "exclusive"}),
    "mlperf_bindpcie_node": ("bindpcie", {}),
    "nccl_init_mask_under_deepinfer": ("deepinfer", {"threads": "nccl"}),
    "nv_gpu_affinity_pkg_unique_contiguous_node": ("gpu-affinity", {}),
    "nv_gpu_affinity_pkg_unique_contiguous_socket": ("gpu-affinity", {"scope": "socket"}),
    "nv_gpu_affinity_pkg_unique_interleaved_node": ("gpu-affinity", {"mode": "unique_interleaved"}),
    "nv_gpu_affinity_v1_single": ("gpu-affinity-v1", {"mode": "single"}),
    "nv_gpu_affinity_v1_socket_unique_continuous": ("gpu-affinity-v1", {"mode": "socket_unique_continuous"}),
    "nv_gpu_affinity_v1_socket_unique_interleaved": ("gpu-affinity-v1", {"mode": "socket_unique_interleaved"}),
    "nv_gpu_affinity_v2_socket": ("gpu-affinity-v2", {"mode": "socket"}),
    "nv_gpu_affinity_v2_socket_single": ("gpu-affinity-v2", {"mode": "socket_single"}),
    "nv_gpu_affinity_v2_socket_single_unique": ("gpu-affinity-v2", {"mode": "socket_single_unique"}),
    "nv_gpu_affinity_v2_socket_unique_contiguous": ("gpu-affinity-v2", {"mode": "socket_unique_contiguous"}),
    "nv_gpu_affinity_v2_socket_unique_interleaved": ("gpu-affinity-v2", {"mode": "socket_unique_interleaved"}),
    "openmpi5_default": ("openmpi", {"release": "main"}),  # Open MPI 5.0.11, run, binds every rank to a core
    "sglang_numa_bind_v2_auto": ("sglang", {}),
    "sglang_set_gpu_proc_affinity": ("sglang", {"set-cpu-affinity": "yes"}),
    "sglang_v1_bind_plus_set_cpu_affinity": ("sglang", {"numa-bind": "v1", "set-cpu-affinity": "yes"}),
    "slurm_auto_block_cyclic": ("slurm", {}),
    "torchrun_core-complex": ("torchrun", {"mode": "core-complex"}),
    "torchrun_exclusive": ("torchrun", {"mode": "exclusive"}),
    "torchrun_node": ("torchrun", {"mode": "node"}),
    "torchrun_socket": ("torchrun", {"mode": "socket"}),
    "trtllm_numa_aware": ("tensorrt-llm", {}),
    "vllm_numa_bind": ("vllm", {}),
}


def rows():
    with CASES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def cases():
    return [(key, list(group)) for key, group in groupby(rows(), key=lambda row: (row["topology"], row["launcher"]))]


def spread(cpus, step, count):
    return ",".join(f"{cpu}" for cpu in range(cpus, cpus + step * count, step))


@pytest.fixture
def hosts(machine):
    """2 x 32 cores with siblings at +64, numbered in a row or even and odd; 2 packages of 4 NUMA nodes of 16 cores."""
    halves, parity = ("0-31,64-95", "32-63,96-127"), (spread(0, 2, 64), spread(1, 2, 64))
    eighths = tuple(f"{16 * k}-{16 * k + 15},{16 * k + 128}-{16 * k + 143}" for k in range(8))
    cores = tuple(CpuSet((core, core + 64)) for core in range(64))
    fine_cores = tuple(CpuSet((core, core + 128)) for core in range(128))
    fine_caches = tuple(CpuSet([*range(8 * k, 8 * k + 8), *range(8 * k + 128, 8 * k + 136)]) for k in range(16))
    return {
        "T1": machine(halves, halves, cores, tuple(map(CpuSet.parse, halves)), (0, 0, 0, 0, 1, 1, 1, 1)),
        "T2": machine(halves, halves, cores, tuple(map(CpuSet.parse, halves)), (0, 0, 0, 0, 0, 1, 1, 1)),
        "T3": machine(eighths, ("0-63,128-191", "64-127,192-255"), fine_cores, fine_caches, (3, 1, 1, 0, 5, 5, 7, 4)),
        "T4": machine(parity, parity, cores, tuple(map(CpuSet.parse, parity)), (0, 0, 0, 0, 1, 1, 1, 1)),
    }


def test_every_row_names_a_launcher_that_is_known():
    assert {row["launcher"] for row in rows()} == set(LAUNCHERS)


@pytest.mark.parametrize(("case", "expected"), cases(), ids=["-".join(key) for key, _ in cases()])
def test_a_prediction_is_as_worked_out(case, expected, hosts, build):
    topology, _, visible = case[0].partition("-CVD")
    name, options = LAUNCHERS[case[1]]
    view = view_of(build(hosts[topology].entries()))
    gpus = tuple(view.gpus[int(number)] for number in visible) if visible else view.gpus
    request = Request(None, gpus, ",".join(visible) if visible else None, options)

    ranks = forecast(launcher_named(name), view, request).ranks

    found = [(rank.rank, view.index_of(rank.gpu), rank.gpu_numa_node, str(rank.cpus)) for rank in ranks]
    assert [(int(row["rank"]), int(row["gpu"]), int(row["gpu_node"]), row["cpus"]) for row in expected] == found
    binding = [(rank, row) for rank, row in zip(ranks, expected, strict=True) if row["cpus"]]
    assert [(row["nodes_touched"], row["offnode_cpus"]) for _, row in binding] == [
        (str(rank.numa_nodes), str(rank.offnode_cpus)) for rank, _ in binding
    ]
    assert [rank.outcome for rank in ranks if not rank.cpus] == [Outcome.NO_EFFECT for row in expected if not row["cpus"]]
