"""NA920: a host whose tasks wait."""

from pathlib import Path

import pytest

from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Outcome


def waiting(entries, **percents):
    lines = "some avg10=0.00 avg60={:.2f} avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
    return entries | {f"root/proc/pressure/{name}": lines.format(percent) for name, percent in percents.items()}


@pytest.fixture
def entries(root):
    return {path: text for path, text in root("2p-2n-2g").items() if "/pressure/" not in path}


@pytest.mark.parametrize("percents", [{"memory": 4.99, "cpu": 49.9, "io": 49.9}, {"cpu": 0}])
def test_silent_below(entries, build, outcomes, percents):
    assert outcomes(build(waiting(entries, **percents)), "NA920") == {("host", "pass")}


def test_waiting_for_memory_is_a_note(entries, build, judge):
    (failure,) = judge(build(waiting(entries, memory=12.5, cpu=3, io=60)), "NA920")

    assert (failure.outcome, failure.subject) == (Outcome.FAIL, "host")
    assert (failure.message, failure.facts["when"]) == (None, "the last minute")
    assert sorted(failure.facts["shares"].split(" and ")) == ["disks 60 % of the time", "memory 12.5 % of the time"]
    assert failure.thresholds == {"memory_percent": 5, "cpu_percent": 50, "io_percent": 50}
    assert {each.path for each in failure.evidence} == {"root/proc/pressure/memory", "root/proc/pressure/io"}


@pytest.mark.parametrize(("percents", "message"), [({"cpu": 64}, "cpu"), ({"cpu": 64, "io": 60}, "cpu-too")])
def test_of_waiting_for_cpus_it_does_not_say_that_placement_does_not_explain_it(entries, build, judge, percents, message):
    (failure,) = judge(build(waiting(entries, **percents)), "NA920")

    assert (failure.message, failure.facts["cpu"]) == (message, 64)
    assert "cpu" not in failure.facts["shares"]


def test_unknown_without_the_files(entries, build, outcomes):
    assert outcomes(build(entries), "NA920") == {("host", "unknown")}


@pytest.mark.parametrize(("percent", "outcome"), [(0, Outcome.FAIL), (100.01, Outcome.PASS)])
def test_what_this_hosts_kernel_prints_is_judged(entries, build, percent, outcome):
    printed = {f"root{path}": path.read_text() for path in Path("/proc/pressure").glob("*") if path.name in ("memory", "cpu", "io")}
    (loaded,) = [each for each in load_rules() if each.rule.code == "NA920"]
    limits = loaded.thresholds._replace(memory_percent=percent, cpu_percent=percent, io_percent=percent)

    (finding,) = audit(build(entries | printed), rules=[loaded._replace(thresholds=limits)]).findings

    assert finding.judgement.outcome is (outcome if printed else Outcome.UNKNOWN)
    assert {each.path for each in finding.judgement.evidence} == set(printed)


def test_in_a_window_what_waited_before_it_does_not_count(root, build, judge):
    (failure,) = judge(build(root("2p-2n-2g-window")), "NA920")

    assert (failure.outcome, failure.message, failure.facts["cpu"]) == (Outcome.FAIL, "cpu", 60)
    assert failure.facts["when"] == "a window of 30 s"
    assert [each.path for each in failure.evidence] == ["again/1/root/proc/pressure/cpu", "again/2/root/proc/pressure/cpu"]


def test_unknown_where_all_totals_went_backwards_in_the_window(root, build, outcomes):
    entries = root("2p-2n-2g-window")
    lines = "some avg10=0.00 avg60=90.00 avg300=0.00 total={}\n"
    reset = {f"again/{number}/root/proc/pressure/{name}": lines.format(3 - number) for number in (1, 2) for name in ("cpu", "memory", "io")}

    assert outcomes(build(entries | reset), "NA920") == {("host", "unknown")}
