"""NA605: a CPU limit that runs out."""

import pytest

from numaaudit.rules.finding import Outcome

GROUP = "root/sys/fs/cgroup/work"


def limited(entries, throttled, periods=100):
    return entries | {
        f"{GROUP}/cpu.max": "400000 100000\n",
        f"{GROUP}/cpu.stat": f"usage_usec 1\nnr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec 1\n",
    }


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def test_silent_without_a_limit(entries, build, outcomes):
    assert outcomes(build(entries), "NA605") == set()


@pytest.mark.parametrize(("throttled", "periods"), [(4, 100), (0, 100), (0, 0)])
def test_silent_where_it_hardly_runs_out(entries, build, outcomes, throttled, periods):
    assert outcomes(build(limited(entries, throttled, periods)), "NA605") == {("cgroup:/work", "pass")}


def test_a_limit_that_runs_out_is_a_note(entries, build, judge):
    (failure,) = judge(build(limited(entries, 68)), "NA605")

    assert (failure.outcome, failure.subject, failure.facts["percent"], failure.facts["limit"]) == (Outcome.FAIL, "cgroup:/work", 68, "4")
    assert failure.related == ("rank:0", "rank:1")
    assert failure.thresholds == {"throttled_share": 0.05}
    assert [(each.path, each.text) for each in failure.evidence] == [
        (f"{GROUP}/cpu.max", "400000 100000"),
        (f"{GROUP}/cpu.stat", "nr_periods 100"),
        (f"{GROUP}/cpu.stat", "nr_throttled 68"),
    ]


def test_unknown_without_the_counters(entries, removed, build, outcomes):
    assert outcomes(build(removed(limited(entries, 68), "/cpu.stat")), "NA605") == {("cgroup:/work", "unknown")}


def test_in_a_window_what_ran_out_before_it_does_not_count(root, build, judge):
    (judgement,) = judge(build(root("2p-2n-2g-window")), "NA605")

    assert judgement.outcome is Outcome.PASS


def test_a_limit_that_runs_out_in_a_window(root, build, judge):
    entries = root("2p-2n-2g-window")
    last = "again/2/root/sys/fs/cgroup/work/cpu.stat"
    (failure,) = judge(build(entries | {last: entries[last].replace("nr_throttled 903", "nr_throttled 960")}), "NA605")

    facts = [failure.facts[name] for name in ("num_throttled", "num_periods", "percent", "window")]
    assert (failure.message, facts) == ("window", [60, 300, 20, "30 s"])
    assert [(each.path, each.text) for each in failure.evidence] == [
        (f"{GROUP}/cpu.max", "400000 100000"),
        ("again/1/root/sys/fs/cgroup/work/cpu.stat", "nr_periods 1000"),
        (last, "nr_periods 1300"),
        ("again/1/root/sys/fs/cgroup/work/cpu.stat", "nr_throttled 900"),
        (last, "nr_throttled 960"),
    ]


def test_unknown_where_the_counters_went_backwards_in_the_window(root, build, outcomes):
    entries = root("2p-2n-2g-window")
    last = "again/2/root/sys/fs/cgroup/work/cpu.stat"
    host = build(entries | {last: entries[last].replace("nr_throttled 903", "nr_throttled 1")})

    assert outcomes(host, "NA605") == {("cgroup:/work", "unknown")}
