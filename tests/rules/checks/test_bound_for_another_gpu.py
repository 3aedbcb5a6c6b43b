"""NA420: bound by the number of one GPU, at work on another."""

import pytest

FIRST, SECOND = "0000:17:00.0", "0000:98:00.0"
BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}


@pytest.fixture
def swapped(root):
    """The two ranks each on the other's GPU, as the driver's table says."""
    entries = root("2p-2n-2g")
    table = next(path for path in entries if "compute-apps" in path)
    first, second = "GPU-00000000", "GPU-11111111"
    entries[table] = entries[table].replace(first, "GPU-x").replace(second, first).replace("GPU-x", second)
    return entries


def test_silent_where_the_drivers_table_and_the_environment_agree(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA420") == BOTH_PASS


def test_ranks_that_were_bound_by_the_number(swapped, build, outcomes, judge):
    host = build(swapped)

    assert outcomes(host, "NA420") == {("rank:0", "fail"), ("rank:1", "fail")}
    first, _ = judge(host, "NA420")
    facts = {name: str(first.facts[name]) for name in ("gpu", "gpu_numa_node", "named", "named_numa_node", "cpus")}
    assert facts == {"gpu": SECOND, "gpu_numa_node": "1", "named": FIRST, "named_numa_node": "0", "cpus": "0-1,4-5"}
    assert f"gpu:{FIRST}" in first.related


@pytest.mark.parametrize("mask", ["0-7", "2-3,6-7", "1-2"])
def test_silent_where_its_cpus_are_not_only_those_of_the_gpu_that_is_named(swapped, masked, build, outcomes, mask):
    assert outcomes(build(masked(swapped, 100, mask)), "NA420") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_does_not_apply_where_only_the_environment_tells_or_with_one_numa_node(swapped, root, removed, on_one_numa_node, build, outcomes):
    neither = {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}

    assert outcomes(build(removed(root("2p-2n-2g"), "compute-apps", "/fd/")), "NA420") == neither
    assert outcomes(build(on_one_numa_node(swapped)), "NA420") == neither


def test_unknown_where_a_mask_or_the_place_of_a_gpu_is_not_known(swapped, removed, build, outcomes):
    status = swapped["root/proc/101/status"]
    unmasked = swapped | {"root/proc/101/status": "\n".join(line for line in status.splitlines() if "Cpus_allowed" not in line)}

    assert outcomes(build(removed(swapped, "98:00.0/numa_node", "98:00.0/local_cpu")), "NA420") == {
        ("rank:0", "unknown"),
        ("rank:1", "unknown"),
    }
    assert outcomes(build(unmasked), "NA420") == {("rank:0", "fail"), ("rank:1", "unknown")}


def test_unknown_where_the_gpu_is_not_known(root, removed, build, outcomes):
    entries = removed(root("2p-2n-2g"), "compute-apps", "/fd/")
    entries["root/proc/101/environ"] = "RANK=1\0LOCAL_RANK=7\0"

    assert outcomes(build(entries), "NA420") == {("rank:0", "not_applicable"), ("rank:1", "unknown")}
