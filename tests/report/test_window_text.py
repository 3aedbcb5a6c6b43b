"""What people are told of a window."""

import json

import pytest

from numaaudit.model.sections.window import Window
from numaaudit.report.host_text import host_lines
from numaaudit.report.page import make_page
from numaaudit.report.view import Input
from numaaudit.report.window_text import window_lines, window_summary
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome

SAMPLE = "samples/window.json"
BLOCK = """\
window    30 s, 30 readings
  pages allocated, against the policy in force; these are no accesses:
  NUMA node 0: numa_hit 30000, numa_miss 0, numa_foreign 600, other_node 0
  NUMA node 1: numa_hit 15000, numa_miss 600, numa_foreign 0, other_node 3000
  balancing: numa_pte_updates 0, numa_hint_faults 0, numa_pages_migrated 0
  interrupts a second: 0 by CPUs of NUMA node 0, 2000 by CPUs of NUMA node 1
  tasks waited for: cpu 60.0 % of the time, io 0.0 % of the time, memory 1.0 % of the time
  /sys/fs/cgroup/work: CPU limit ran out in 3 of 300 periods
  pid 100: 2 threads, CPU time 3600 ticks; at least 15 moves to another CPU, 0 to another NUMA node; seen 59 times on NUMA node 0
  pid 101: 2 threads, CPU time 3600 ticks; at least 15 moves to another CPU, 0 to another NUMA node; seen 58 times on NUMA node 1
"""


@pytest.fixture
def entries(root):
    return root("2p-2n-2g-window")


def sampled(entries, **changes):
    return entries | {SAMPLE: json.dumps({**json.loads(entries[SAMPLE]), **changes})}


def test_inspect_prints_a_short_block(entries, build):
    lines = host_lines(build(entries))
    start = lines.index("window    30 s, 30 readings")

    assert lines[start - 1] == ""
    assert lines[start : start + BLOCK.count("\n")] == BLOCK.splitlines()


def test_inspect_prints_nothing_without_a_window(root, build):
    assert [line for line in host_lines(build(root("2p-2n-2g"))) if line.startswith("window")] == []


def test_a_report_says_it_in_one_line(entries, build, root):
    host, without = build(entries), build(root("2p-2n-2g"))

    about = dict(make_page(audit(host), host, Input("b.tar", "bundle", None), frozenset(Outcome)).about)
    assert about["window"] == "30 s, 30 readings"
    assert "window" not in dict(make_page(audit(without), without, Input("b.tar", "bundle", None), frozenset(Outcome)).about)


@pytest.mark.parametrize(
    ("changes", "summary"),
    [
        ({"late": [3], "missed": [4, 5]}, "30 s, 30 readings, 1 late, 2 missed"),
        ({"seconds": 12.0002, "readings": 12}, "12 s of 30 s, 12 readings"),
        ({"seconds": 0, "readings": 0}, "0 s of 30 s, 0 readings"),
        ({"duration_s": 0.5, "seconds": 0.512, "readings": 1}, "0.51 s, 1 readings"),
    ],
)
def test_what_was_cut_short_late_or_missed_is_said(entries, build, changes, summary):
    assert window_summary(build(sampled(entries, **changes)).section(Window).sample) == summary


def test_what_is_not_known_is_not_zero(entries, build):
    document = json.loads(entries[SAMPLE])
    process = {
        **document["processes"][0],
        "cpu_ticks": None,
        "numa_node_moves": None,
        "has_ended": True,
        "threads_born": 3,
        "threads_ended": 5,
    }
    counters = document["counters"]
    grown = {(each["folder"], each["file"]): each["grown"] for each in counters}
    grown["/proc", "vmstat"]["numa_hint_faults"][0] = None
    grown["/proc/pressure", "io"]["some"][0] = None
    lines = list(window_lines(build(sampled(entries, processes=[process], counters=counters)).section(Window)))

    assert lines[-1] == (
        "  pid 100 (ended): 2 threads, 3 began, 5 ended, CPU time not known; "
        "at least 15 moves to another CPU, not known to another NUMA node; seen 59 times on NUMA node 0"
    )
    assert "  balancing: numa_pte_updates 0, numa_hint_faults not known, numa_pages_migrated 0" in lines
    assert "  tasks waited for: cpu 60.0 % of the time, io not known, memory 1.0 % of the time" in lines


def test_cpu_time_is_in_seconds_where_the_manifest_tells_the_tick(entries, build):
    window = build(entries).section(Window)._replace(ticks_per_s=100)

    assert list(window_lines(window))[-1].startswith("  pid 101: 2 threads, CPU time 36 s; ")
