import os
import subprocess
import sys

import pytest

from numaaudit.collect.host_files import host_tree
from numaaudit.collect.reader import Trying
from numaaudit.collect.schedule import Schedule
from numaaudit.collect.window_reading import Reading, WindowReader, counters, thread_times
from numaaudit.core.procfs import parse_stat


def stat(tid, ticks=11, cpu=3, start=100, state="S"):
    return f"{tid} (a rank) {state} 1 7 7 0 -1 4194304 0 0 0 0 {ticks - 6} 6 0 0 20 0 1 0 {start} 0 0 {'0 ' * 14}{cpu} 0 0\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("sys/devices/system/node/node0/numastat", "numa_hit 5\nother_node 0\n", {"numa_hit": 5, "other_node": 0}),
        ("proc/vmstat", "nr_free_pages 9\nnuma_hint_faults 3\npgmigrate_fail 1\n", {"numa_hint_faults": 3, "pgmigrate_fail": 1}),
        ("proc/pressure/cpu", "some avg10=0.00 avg60=1.00 avg300=0.00 total=77\nfull avg10=0.00 total=8\n", {"some": 77, "full": 8}),
        ("sys/fs/cgroup/a/cpu.stat", "usage_usec 4\nnr_periods 2\n", {"usage_usec": 4, "nr_periods": 2}),
        ("proc/vmstat", "numa_hit -4\nnuma_miss \u0664\nnuma_foreign " + "9" * 21 + "\n\nnuma_local\n", {}),
    ],
)
def test_counters_of_every_file_of_a_window(path, text, expected):
    assert counters(path, text) == expected


def test_each_thread_with_its_time_and_its_last_cpu(make_root):
    root = make_root({"proc/7/task/7/stat": stat(7), "proc/7/task/9/stat": stat(9, ticks=40, cpu=1, start=130)})

    assert sorted(thread_times(root, 7, 100)) == [(7, 100, 11, 3), (9, 130, 40, 1)]


def test_a_thread_without_a_last_cpu_has_none(make_root):
    root = make_root({"proc/7/task/7/stat": "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0\n"})

    assert thread_times(root, 7, 100) == [(7, 100, 11, None)]


def test_what_is_no_thread_any_more_is_left_out(make_root):
    files = {
        "proc/7/task/7/stat": stat(7),
        "proc/7/task/8/stat": stat(8, state="Z"),
        "proc/7/task/9/stat": "",
        "proc/7/task/x/stat": stat(9),
    }

    assert thread_times(make_root(files), 7, 100) == [(7, 100, 11, 3)]


def test_a_process_that_has_ended_has_no_threads(make_root):
    root = make_root({"proc/7/task/7/stat": stat(7, start=200), "proc/8/task/8/stat": stat(8, state="Z")})

    assert [thread_times(root, pid, 100) for pid in (6, 7, 8)] == [None, None, None]


def test_the_threads_of_a_live_process(sleeper):
    with open("/proc/%d/stat" % sleeper.pid) as file:
        start = parse_stat(file.read()).start_ticks
    found = thread_times("/", sleeper.pid, start)

    assert [tid for tid, _, _, _ in sorted(found)] == sorted(map(int, os.listdir("/proc/%d/task" % sleeper.pid)))
    assert all(cpu is not None and cpu >= 0 for _, _, _, cpu in found)


def test_a_process_that_ends_is_told_from_one_that_sleeps():
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()

    assert thread_times("/", process.pid, 1) is None


def test_readings_are_made_until_the_end_and_each_is_sent_at_once(make_root):
    root = make_root({"proc/7/task/7/stat": stat(7), "proc/vmstat": "numa_hit 5\n"})
    reader = WindowReader(root, host_tree(root), ["proc/vmstat", "proc/gone"], {7: 100})
    made = list(reader(Schedule(0.2, 0.1)))

    assert [type(each) for each in made] == [Reading, Trying] * 3
    assert [each.number for each in made[::2]] == [0, 1, 2]
    assert made[0].counters == {"proc/vmstat": {"numa_hit": 5}}
    assert made[0].threads == {7: [(7, 100, 11, 3)]}
    assert made[4].at_s >= 0.2
