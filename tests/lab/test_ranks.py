"""Ranks on the lab's hosts: where they and their memory really are, which GPU is theirs, and the verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from runs import Run, outcomes
from shapes import EIGHT_NUMA_NODES, INTERLEAVED_WITH_MEMORY_ONLY, SHAPES, TWO_PACKAGES_5_3, HostShape
from workloads import MIB_TOUCHED, gpus_on

RANK_CPUS_OFF_GPU_NODE = "NA201"
BYTES_TOUCHED = MIB_TOUCHED << 20
PAGES_TOUCHED = BYTES_TOUCHED // 4096


# -- where memory is


def test_memory_bound_to_a_numa_node_is_there(two_packages: Run) -> None:
    bound = two_packages.process("bound")
    assert two_packages.targets["bound"]["pages_of_mappings"] == [{"1": PAGES_TOUCHED}]
    assert bound["policy"] == "bind:1"
    assert list(bound["anon_bytes_by_node"]) == ["1"]
    assert bound["anon_bytes_by_node"]["1"] >= BYTES_TOUCHED


def test_memory_touched_before_the_policy_stays_where_it_was(two_packages: Run) -> None:
    moved = two_packages.process("moved")
    assert two_packages.targets["moved"]["pages_of_mappings"] == [{"0": PAGES_TOUCHED}]
    assert (moved["policy"], moved["effective_cpus"]) == ("bind:1", "8-15")
    assert moved["anon_bytes_by_node"]["0"] >= BYTES_TOUCHED


def test_a_thread_born_before_keeps_its_mask_and_its_policy(two_packages: Run) -> None:
    moved = two_packages.process("moved")
    assert [(thread["allowed_cpus"], thread["policy"]) for thread in moved["threads"]] == [("8-15", "bind:1"), ("0-7", "default")]


def test_memory_can_be_on_a_numa_node_without_cpus(interleaved: Run) -> None:
    far_away = interleaved.process("on-memory-only")
    assert interleaved.targets["on-memory-only"]["pages_of_mappings"] == [{"2": PAGES_TOUCHED}]
    assert far_away["policy"] == "bind:2"
    assert list(far_away["anon_bytes_by_node"]) == ["2"]


# -- what a rank may use


def test_a_request_is_cut_to_the_cpuset(two_packages: Run) -> None:
    clipped = two_packages.process("clipped")
    assert clipped["cgroup"] == "/clipped"
    assert (clipped["allowed_cpus"], clipped["effective_cpus"], clipped["allowed_mems"]) == ("1,3", "1,3", "0")


def test_the_drivers_table_wins_over_the_environment_and_the_conflict_is_kept(two_packages: Run) -> None:
    (by_driver, by_environment) = (gpus_on(TWO_PACKAGES_5_3, 1)[nth].pci_address for nth in (2, 0))
    pid = two_packages.targets["in-driver-table"]["pid"]
    values = [{"value": by_driver, "source": "compute-apps"}, {"value": by_environment, "source": "environment"}]
    assert two_packages.model["conflicts"] == [{"subject": f"pid:{pid}", "field": "gpus", "used": by_driver, "values": values}]


def test_a_rank_reaches_its_gpu_by_the_strongest_evidence(two_packages: Run) -> None:
    near, far, (unplaced,) = (gpus_on(TWO_PACKAGES_5_3, numa_node) for numa_node in (0, 1, None))
    expected = {
        "local": (near[0], "open-device"),
        "remote": (near[1], "open-device"),
        "bound": (far[0], "environment"),
        "moved": (far[1], "open-device"),
        "clipped": (near[2], "open-device"),
        "unplaced": (unplaced, "open-device"),
        "in-driver-table": (far[2], "compute-apps"),
    }
    said = {name: (two_packages.process(name)["gpus"], two_packages.process(name)["gpu_source"]) for name in expected}
    assert said == {name: ([gpu.pci_address], source) for name, (gpu, source) in expected.items()}


# -- the verdict


def test_only_the_ranks_on_the_other_numa_node_fail(two_packages: Run) -> None:
    assert outcomes(two_packages.report, RANK_CPUS_OFF_GPU_NODE) == {
        "rank:0": "pass",
        "rank:1": "fail",
        "rank:2": "pass",
        "rank:3": "pass",
        "rank:4": "pass",
        "rank:5": "unknown",
        "rank:6": "pass",
        "rank:7": "pass",
        "rank:8": "pass",
        "rank:9": "fail",
    }


def test_with_interleaved_numbering_neighbouring_cpu_numbers_are_not_near(interleaved: Run) -> None:
    assert outcomes(interleaved.report, RANK_CPUS_OFF_GPU_NODE) == {
        "rank:0": "pass",
        "rank:1": "fail",
        "rank:2": "pass",
        "rank:3": "pass",
        "rank:4": "fail",
        "rank:5": "pass",
        "rank:6": "pass",
        "rank:7": "pass",
        "rank:8": "pass",
    }


def test_on_a_permuted_board_only_the_ranks_that_miss_their_gpu_fail(eight_numa_nodes: Run) -> None:
    placed = EIGHT_NUMA_NODES.placed("accelerator")
    expected = {f"rank:{number}": "pass" if number == place.device.numa_node else "fail" for number, place in enumerate(placed)}
    assert outcomes(eight_numa_nodes.report, RANK_CPUS_OFF_GPU_NODE) == expected


def test_to_miss_it_within_the_package_is_no_grave_matter(eight_numa_nodes: Run) -> None:
    failed = [each for each in eight_numa_nodes.report["findings"] if (each["rule"], each["outcome"]) == (RANK_CPUS_OFF_GPU_NODE, "fail")]
    assert {finding["severity"] for finding in failed} == {"low"}


FAILURES = {
    TWO_PACKAGES_5_3: {
        ("rank-cpus-off-gpu-node", "rank:1"),
        ("memory-off-gpu-node", "rank:3"),
        ("gpu-numa-node-unknown", "gpu:0000:00:10.0"),
        ("threads-wider-than-main-thread", "rank:7"),
        ("rank-cpus-straddle-numa-nodes", "rank:7"),
        ("threads-outside-memory-policy", "rank:7"),
        ("threads-wider-than-main-thread", "rank:8"),
        ("rank-cpus-straddle-numa-nodes", "rank:8"),
        ("cpuset-cuts-affinity", "rank:9"),
        ("rank-cpus-off-gpu-node", "rank:9"),
    },
    INTERLEAVED_WITH_MEMORY_ONLY: {
        ("rank-cpus-off-gpu-node", "rank:1"),
        ("rank-cpus-straddle-numa-nodes", "rank:2"),
        ("asymmetric-or-permuted-slots", "host"),
        ("cores-lie-across-numa-nodes", "host"),  # QEMU numbers CPUs package by package
        ("cpuset-cuts-affinity", "rank:4"),
        ("rank-cpus-off-gpu-node", "rank:4"),
        ("cpuset-without-local-memory", "rank:5"),
        ("gpu-memory-staged-from-interleaved", "rank:7"),
        ("memory-off-gpu-node", "rank:8"),
    },
    EIGHT_NUMA_NODES: {
        *(("rank-cpus-off-gpu-node", f"rank:{number}") for number in (0, 2, 3, 4, 5, 6, 7)),
        ("huge-pages-on-other-numa-nodes", "pid:huge-far"),
        ("memory-off-cpus", "pid:huge-far"),
        ("balancing-scans-bound-ranks", "host"),
    },
}

# The firmware does not say where rank 5's GPU hangs, and the policy of each mapping of rank 8, which is large, was not read.
UNKNOWN = {
    TWO_PACKAGES_5_3: {
        ("rank-cpus-off-gpu-node", "rank:5"),
        ("rank-cpus-straddle-numa-nodes", "rank:5"),
        ("memory-off-gpu-node", "rank:5"),
        ("cpuset-cuts-affinity", "rank:5"),
        ("asymmetric-or-permuted-slots", "host"),
        ("sources-disagree-about-gpu-node", "gpu:0000:00:10.0"),
    },
    INTERLEAVED_WITH_MEMORY_ONLY: {
        ("gpu-memory-staged-from-interleaved", "rank:8"),
        ("mapped-file-off-cpus", "rank:8"),
    },
    EIGHT_NUMA_NODES: set(),
}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_nothing_fails_but_what_was_set_up_to(boot: Callable[[HostShape], Run], shape: HostShape) -> None:
    run = boot(shape)
    assert run.judged("fail") == FAILURES[shape]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_nothing_is_unknown_but_what_the_kernel_does_not_say(boot: Callable[[HostShape], Run], shape: HostShape) -> None:
    run = boot(shape)
    assert (run.judged("unknown"), run.judged("error")) == (UNKNOWN[shape], set())


CAUSES = {
    ("rank-cpus-straddle-numa-nodes", "rank:7"): "NA204@rank:7",
    ("rank-cpus-straddle-numa-nodes", "rank:8"): "NA204@rank:8",
    ("rank-cpus-off-gpu-node", "rank:9"): "NA601@rank:9",
}


def test_consequences_are_folded_under_their_cause(two_packages: Run) -> None:
    caused = {(each["name"], each["subject"]): each["caused_by"] for each in two_packages.report["findings"] if each["caused_by"]}
    assert caused == CAUSES


def test_memory_that_no_pool_at_home_could_give_is_folded_under_the_pool(eight_numa_nodes: Run) -> None:
    subject = f"pid:{eight_numa_nodes.targets['huge-far']['pid']}"
    assert eight_numa_nodes.finding("memory-off-cpus", subject)["caused_by"] == f"NA317@{subject}"


def test_a_failed_placement_is_the_exit_code(two_packages: Run) -> None:
    live = two_packages.made_by("check")
    assert (two_packages.live_report["gates"]["placement"], live["exit_code"]) == ("fail", 1)


def test_a_finding_shows_the_kernels_own_line(two_packages: Run) -> None:
    finding = two_packages.finding("rank-cpus-off-gpu-node", "rank:1")
    status = f"root/proc/{two_packages.targets['remote']['pid']}/status"
    assert "Cpus_allowed_list:\t8-15" in [line["text"] for line in finding["evidence"] if line["path"] == status]


def test_the_bundle_gives_the_verdict_that_the_live_host_gave(two_packages: Run) -> None:
    bundle, live = two_packages.report, two_packages.live_report
    assert outcomes(live, RANK_CPUS_OFF_GPU_NODE) == outcomes(bundle, RANK_CPUS_OFF_GPU_NODE)
    assert live["gates"] == bundle["gates"]
