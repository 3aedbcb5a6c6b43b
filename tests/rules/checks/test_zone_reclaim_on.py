"""NA650: reclaim before the next NUMA node."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

MODE = "root/proc/sys/vm/zone_reclaim_mode"
MEMINFO = "root/sys/devices/system/node/node1/meminfo"


@pytest.fixture
def of(root, build):
    """The host with this mode, and so many MiB of 1000 free and cached on NUMA node 1."""

    def make(mode, free=500, cached=300):
        lines = {"MemTotal": 1000, "MemFree": free, "FilePages": cached}
        text = "".join(f"Node 1 {key}: {size * 1024} kB\n" for key, size in lines.items())
        return build(root("2p-2n-2g") | {MODE: f"{mode}\n", MEMINFO: text})

    return make


@pytest.mark.parametrize("mode", [0, 2, 4])
def test_silent_where_it_is_off(of, outcomes, mode):
    assert outcomes(of(mode, free=10), "NA650") == {("host", "pass")}


@pytest.mark.parametrize("mode", [1, 3, 7])
def test_medium_where_a_numa_node_is_full_of_page_cache(of, judge, mode):
    (failure,) = judge(of(mode, free=99, cached=200), "NA650")

    assert (failure.outcome, failure.severity, failure.facts["numa_node"], failure.facts["cache_mib"]) == (Outcome.FAIL, None, 1, 200)
    assert (failure.facts["other"], failure.facts["other_free_mib"]) == (0, 12000)
    assert [each.path for each in failure.evidence] == [MODE, MEMINFO, MEMINFO]
    assert failure.thresholds == {"free_share": 0.1, "cache_share": 0.2}


@pytest.mark.parametrize(("free", "cached"), [(100, 500), (10, 199)])
def test_a_note_at_its_thresholds(of, judge, free, cached):
    (failure,) = judge(of(1, free, cached), "NA650")

    assert (failure.severity, failure.message) == (Severity.INFO, "roomy")


def test_unknown_where_a_numa_node_is_full_and_the_setting_was_not_read(of, outcomes):
    assert outcomes(of("", free=10), "NA650") == {("host", "unknown")}


def test_does_not_apply_where_none_is_full_and_the_setting_was_not_read(root, removed, build, outcomes):
    assert outcomes(build(removed(root("2p-2n-2g"), MODE)), "NA650") == {("host", "not_applicable")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(root("2p-2n-2g"))), "NA650") == {("host", "not_applicable")}
