"""Memory under policies, from pools and in huge pages: the kernel's counts, and the verdict."""

from __future__ import annotations

from pathlib import Path

from runs import Run, outcomes
from workloads import MIB_FAR, MIB_HUGE, MIB_HUGE_AT_HOME, MIB_INTERLEAVED, MIB_NEAR, MIB_THP, MIB_TOUCHED

MIB = 1 << 20
PAGES_OF_MIB = 256


# -- interleave


def test_interleaved_pages_lie_evenly_on_all_numa_nodes(interleaved: Run) -> None:
    third = MIB_INTERLEAVED * PAGES_OF_MIB // 3
    for name in ("staging", "streaming"):
        assert interleaved.targets[name]["pages_of_mappings"] == [{"0": third, "1": third, "2": third}]
        assert interleaved.process(name)["policy"] == "interleave:0-2"


def test_a_rank_that_stages_from_interleaved_memory_fails(interleaved: Run) -> None:
    staging = interleaved.finding("gpu-memory-staged-from-interleaved", "rank:7")
    assert staging["severity"] == "medium"
    assert MIB_INTERLEAVED * 2 // 3 <= staging["facts"]["off_mib"] < MIB_INTERLEAVED * 2 // 3 + 16
    assert staging["facts"]["numa_nodes"] == "1-2"


def test_of_a_process_that_streams_on_all_cpus_nothing_is_said(interleaved: Run) -> None:
    said = [rule for outcome in ("fail", "unknown") for rule, subject in interleaved.judged(outcome) if subject == "pid:streaming"]
    assert said == []


def test_a_policy_that_takes_in_a_gpus_own_memory_fails(interleaved: Run) -> None:
    """numactl's "all" counts the memory-only NUMA node, which the driver calls a GPU's."""
    said = outcomes(interleaved.report_on("coherent"), "NA314")
    assert said == {"rank:0": "pass", "rank:7": "fail", f"pid:{interleaved.targets['streaming']['pid']}": "fail"}


# -- huge pages


def test_huge_pages_are_counted_by_their_own_size(eight_numa_nodes: Run) -> None:
    """The pool is on NUMA node 2, wherever the process runs."""
    for name, mib in (("huge-far", MIB_HUGE), ("huge-at-home", MIB_HUGE_AT_HOME)):
        assert eight_numa_nodes.targets[name]["pages_of_mappings"] == [{"2": mib * PAGES_OF_MIB}]
        assert 0 <= eight_numa_nodes.process(name)["bytes_by_node"]["2"] - mib * MIB < 16 * MIB


def test_huge_pages_from_another_numa_nodes_pool_fail(eight_numa_nodes: Run) -> None:
    far = eight_numa_nodes.finding("huge-pages-on-other-numa-nodes", f"pid:{eight_numa_nodes.targets['huge-far']['pid']}")
    assert (far["outcome"], far["severity"]) == ("fail", "medium")
    assert (far["facts"]["off_mib"], far["facts"]["numa_nodes"], far["facts"]["own_numa_nodes"]) == (MIB_HUGE, "2", "4")


def test_huge_pages_of_its_own_numa_node_pass(eight_numa_nodes: Run) -> None:
    at_home = eight_numa_nodes.finding("huge-pages-on-other-numa-nodes", f"pid:{eight_numa_nodes.targets['huge-at-home']['pid']}")
    assert (at_home["outcome"], at_home["facts"]["huge_mib"]) == ("pass", MIB_HUGE_AT_HOME)


def test_transparent_huge_pages_are_counted_as_the_memory_they_are(eight_numa_nodes: Run) -> None:
    assert eight_numa_nodes.targets["thp"]["pages_of_mappings"] == [{"7": MIB_THP * PAGES_OF_MIB}]
    assert eight_numa_nodes.targets["thp"]["said"]["anon_huge_kib"] > 0
    assert 0 <= eight_numa_nodes.process("thp")["anon_bytes_by_node"]["7"] - MIB_THP * MIB < 16 * MIB


# -- samples


def test_pages_of_a_large_process_are_sampled_and_not_counted(interleaved: Run) -> None:
    large = interleaved.process("large")
    assert interleaved.targets["large"]["pages_of_mappings"] == [{"0": MIB_FAR * PAGES_OF_MIB}, {"1": MIB_NEAR * PAGES_OF_MIB}]
    assert large["bytes_by_node"] is None
    assert large["sampled_pages"]["num_pages"] >= 400


def test_sampled_shares_agree_with_the_counts_of_numa_maps(interleaved: Run) -> None:
    """One of twenty intervals misses the truth; the tests have to hold on every boot, so twice as wide ones have to hold it."""
    sampled = interleaved.process("large")["sampled_pages"]["share_by_node"]
    counted = interleaved.process("large", "full")["anon_bytes_by_node"]
    for numa_node, estimate in sampled.items():
        share = counted.get(numa_node, 0) / sum(counted.values())
        width = estimate["high"] - estimate["low"]
        assert estimate["low"] - width / 2 <= share <= estimate["high"] + width / 2, numa_node


def test_the_verdict_on_a_sample_is_that_on_the_counts(interleaved: Run) -> None:
    sampled = interleaved.finding("memory-off-gpu-node", "rank:8")
    (counted,) = (each for each in interleaved.report_on("full")["findings"] if (each["rule"], each["subject"]) == ("NA301", "rank:8"))
    verdicts = [(each["outcome"], each["severity"], each["facts"]["numa_nodes"]) for each in (sampled, counted)]
    assert verdicts == [("fail", "medium", "0")] * 2


# -- settings and room


def test_balancing_that_scans_bound_ranks_is_a_note_where_they_have_a_policy(eight_numa_nodes: Run) -> None:
    balancing = eight_numa_nodes.finding("balancing-scans-bound-ranks", "host")
    assert (balancing["outcome"], balancing["facts"]["value"], balancing["facts"]["num_bound"]) == ("fail", 1, 8)


def test_a_strict_bind_has_the_room_that_the_kernel_says(interleaved: Run, tmp_path: Path) -> None:
    """Memory that is bound to NUMA node 2; more than nine tenths have to be left there before the limit of this policy is kept."""
    policy = tmp_path / "numaaudit.yaml"
    policy.write_text("rules:\n  NA304:\n    thresholds:\n      room_share: 0.9\n")

    report = interleaved.report_on("bundle", "--policy", str(policy))
    (full,) = (each for each in report["findings"] if (each["rule"], each["outcome"]) == ("NA304", "fail"))

    total = interleaved.model["numa_nodes"][2]["memory_bytes"] // MIB
    held = sum(target["numastat"][2] for target in interleaved.targets.values())
    assert (full["subject"], full["facts"]["numa_nodes"]) == ("rank:3", "2")
    assert held > MIB_TOUCHED
    assert total - held - 64 < full["facts"]["room_mib"] <= total - held
