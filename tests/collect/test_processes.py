import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from numaaudit.collect.proc_folder import ProcFolder
from numaaudit.collect.processes import Process, by_proc, by_psutil, describe, list_pids


@pytest.fixture
def children():
    """Processes with awkward command lines, and a zombie."""
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    started = [subprocess.Popen(command) for command in (sleep, [*sleep, "", "two words", "ünï", b"\xff"], ["/bin/true"])]
    while Path("/proc/%d/stat" % started[2].pid).read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    yield started
    for process in started:
        process.kill()
        process.wait()


def test_psutil_and_our_own_walk_see_the_same(children):
    pids = [os.getpid(), 1, *(child.pid for child in children)]

    assert [by_psutil(psutil, pid) for pid in pids] == [by_proc("/", pid) for pid in pids]


def test_psutil_and_our_own_walk_list_the_same(children):
    ours = {int(name) for name in os.listdir("/proc") if name.isdigit()}

    assert {child.pid for child in children} <= set(list_pids("/")) & ours


def test_a_process_that_is_not_there_is_none():
    assert [by_psutil(psutil, 2**22 + 1), by_proc("/", 2**22 + 1)] == [None, None]


def test_another_root_is_walked_by_us(make_root):
    root = make_root(
        {
            "proc/7/stat": "7 (VLLM::Worker_TP) S 5 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n",
            "proc/7/cmdline": "/opt/VLLM::Worker_TP0\0--rank\0" + "0\0",
            "proc/self": "@7",
        }
    )

    assert list_pids(root) == [7]
    assert describe(root, 7) == Process(7, 5, "VLLM::Worker_TP0", "/opt/VLLM::Worker_TP0 --rank 0")


def test_a_digit_that_is_no_number_is_no_pid(make_root):
    root = make_root({"proc/\u00b2/stat": "", "proc/7/task/\u00b2/stat": "", "proc/7/task/8/stat": "", "proc/7/stat": ""})

    assert [7] == list_pids(root)
    with ProcFolder.open(root, 7) as process:
        assert ["8"] == process.thread_ids()
