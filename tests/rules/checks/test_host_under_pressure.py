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
    assert sorted(failure.facts["what"].split(", ")) == ["io", "memory"]
    assert "memory 12.5 % of the time" in failure.facts["shares"]
    assert failure.thresholds == {"memory_percent": 5, "cpu_percent": 50, "io_percent": 50}
    assert {each.path for each in failure.evidence} == {"root/proc/pressure/memory", "root/proc/pressure/io"}


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
