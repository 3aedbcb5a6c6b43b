"""NA318: automatic NUMA balancing where work is bound by hand."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

BALANCING = "root/proc/sys/kernel/numa_balancing"
PASS, FAIL, UNKNOWN, NOT = ({("host", outcome)} for outcome in ("pass", "fail", "unknown", "not_applicable"))


@pytest.fixture
def on(root):
    return root("2p-2n-2g") | {BALANCING: "1\n"}


def under_bind(entries):
    """Both ranks with a policy of their own."""
    changed = {f"root/proc/{pid}/numa_maps": f" bind:{pid - 100}" for pid in (100, 101)}
    return entries | {path: entries[path].replace(" default", policy) for path, policy in changed.items()}


def test_silent_where_it_is_off(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA318") == PASS


def test_silent_for_tiering_alone(on, build, outcomes):
    assert outcomes(build(on | {BALANCING: "2\n"}), "NA318") == PASS


def test_low_where_bound_ranks_have_the_default_policy(on, build, judge):
    (failure,) = judge(build(on), "NA318")

    assert (failure.outcome, failure.subject, failure.severity, failure.confidence) == (Outcome.FAIL, "host", None, Confidence.LIKELY)
    assert failure.related == ("rank:0", "rank:1")
    assert (failure.facts["value"], failure.facts["num_bound"], failure.facts["policy"]) == (1, 2, "default")
    assert [each.path for each in failure.evidence] == [BALANCING, "root/proc/100/status", "root/proc/100/numa_maps"]
    assert failure.thresholds == {"bound_mib": 1024}


def test_a_note_where_all_have_a_policy_of_their_own(on, build, judge):
    (failure,) = judge(build(under_bind(on)), "NA318")

    assert failure.severity is Severity.INFO


def test_low_where_it_was_seen_at_work(on, build, judge):
    readings = {"root/proc/vmstat": "numa_hint_faults 10\n", "again/1/root/proc/vmstat": "numa_hint_faults 5010\n"}
    (failure,) = judge(build(under_bind(on) | readings), "NA318")

    assert (failure.severity, failure.message, failure.facts["hint_faults"]) == (None, "faults", 5000)
    assert failure.confidence is Confidence.CERTAIN


def test_silent_where_nothing_is_bound(on, masked, build, outcomes):
    assert outcomes(build(masked(masked(on, 100, "0-7"), 101, "0-7")), "NA318") == NOT


def test_a_large_process_without_gpu_counts(on, removed, build, judge, outcomes):
    kept = removed(on, "commands/", "/fd/", "/environ", "/driver/")
    status = "root/proc/101/status"
    large = kept | {status: kept[status].replace("VmRSS:\t  409600 kB", "VmRSS:\t 1048576 kB")}

    assert outcomes(build(kept), "NA318") == NOT
    assert [each.related for each in judge(build(large), "NA318")] == [("pid:101",)]


def test_does_not_apply_with_memory_on_one_numa_node(on, build, outcomes):
    empty = {"root/sys/devices/system/node/node1/meminfo": "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n"}

    assert outcomes(build(on | empty), "NA318") == NOT


def test_unknown_where_the_setting_was_not_read(on, removed, build, outcomes):
    assert outcomes(build(removed(on, BALANCING)), "NA318") == UNKNOWN
