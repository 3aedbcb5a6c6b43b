"""Names that are not UTF-8, that hold what ends a line or moves a cursor, or that look like something else."""

import os
import subprocess
import sys

import pytest

from numaaudit.collect.front import run
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write

ODD = b"\xff\xfe) (\x1b[31m\xe2\x80\xae\n"
STAT = b"7 (%s) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"
CALLED = """
import os, sys
with open("/proc/self/comm", "wb") as file:
    file.write(b"\\xff\\xfe) (x \\x1b[31m")
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def odd_process(tmp_path):
    """A live process whose name, words, variables and open device-like file are bytes of any kind."""
    command = [os.fsencode(sys.executable), b"-c", CALLED.encode(), b"\xff--api-key", b"\xe2\x80\xae\n"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={b"LOCAL_RANK": b"\xff3", b"RANK\xff": b"0"})
    process.stdout.readline()
    yield process
    process.communicate()


def test_a_live_process_with_odd_names(odd_process, tmp_path, sound):
    write(collect(CollectOptions(pids=(odd_process.pid,)), path=""), str(tmp_path / "e.tar.gz"))
    opened = sound(tmp_path / "e.tar.gz")

    comm = opened.tree.get("root/proc/%d/task/%d/comm" % (odd_process.pid, odd_process.pid)).data
    assert comm == b"\xff\xfe) (x \x1b[31m\n"
    assert b"api-key" not in opened.tree.get("root/proc/%d/cmdline" % odd_process.pid).data


@pytest.fixture
def odd_root(make_root):
    """An invented host on which everything that has a name has an odd one."""
    root = os.fsencode(make_root({"proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"}))
    group = root + b"/sys/fs/cgroup/acme\xff\xfe"
    files = {
        root + b"/proc/7/stat": STAT % ODD.strip(),
        root + b"/proc/7/task/7/stat": STAT % ODD.strip(),
        root + b"/proc/7/task/7/comm": ODD,
        root + b"/proc/7/status": b"Name:\t" + ODD + b"Pid:\t7\n",
        root + b"/proc/7/cgroup": b"0::/acme\xff\xfe\n",
        root + b"/proc/7/cmdline": ODD + b"\0" + ODD,
        root + b"/proc/7/numa_maps": b"00400000 default file=/dev/shm/" + b"\xff\\012 anon=1 N0=1 kernelpagesize_kB=4\n",
        root + b"/proc/sys/kernel/hostname": ODD,
        root + b"/sys/class/nvme/nvme\xff/numa_node": b"0\n",
        root + b"/dev/nvidia\xff": b"",
        group + b"/cpuset.cpus.effective": b"0-3\n",
    }
    for path, data in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    os.makedirs(root + b"/proc/7/fd", exist_ok=True)
    os.symlink(b"/dev/nvidia\xff", root + b"/proc/7/fd/3")
    return os.fsdecode(root)


def test_an_invented_host_of_odd_names(odd_root, tmp_path, sound):
    write(collect(CollectOptions(pids=(7,), root=odd_root), path=""), str(tmp_path / "e.tar.gz"))
    opened = sound(tmp_path / "e.tar.gz")

    assert opened.tree.get("root/proc/7/task/7/comm").data == ODD
    assert opened.manifest.hostname.startswith("\\xff\\xfe) (")


def test_files_whose_names_are_not_utf_8_are_named_as_gaps(odd_root):
    gaps = collect(CollectOptions(pids=(7,), root=odd_root), path="").manifest.gaps()

    named = {path: (gap.kind, gap.reason) for path, gap in gaps.items() if "\\xff" in path}
    reason = ("absent", "its name is not UTF-8")
    assert named == {
        "root/sys/class/nvme/nvme\\xff": reason,
        "root/sys/fs/cgroup/acme\\xff\\xfe": reason,
        "root/dev/nvidia\\xff": reason,
    }


def test_the_lines_for_people_obey_no_name(odd_root, tmp_path):
    lines, code = run(CollectOptions(pids=(7,), root=odd_root, output=str(tmp_path / "e.tar.gz")))

    assert code == 0
    assert [line for line in lines if "\x1b" in line or "\u202e" in line or "\n" in line] == []


def test_a_log_whose_name_is_not_utf_8(make_root, tmp_path, sound):
    log = os.fsencode(tmp_path) + b"/run\xff.log"
    with open(log, "wb") as file:
        file.write(b"INFO \xff ready\n")
    root = make_root({"proc/7/stat": "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"})
    write(collect(CollectOptions(pids=(7,), root=root, logs=(os.fsdecode(log),)), path=""), str(tmp_path / "e.tar.gz"))

    assert sound(tmp_path / "e.tar.gz").tree.get("logs/run\\xff.log").text == "INFO \\xff ready\n"


def test_a_regular_expression_with_bytes_outside_utf_8_is_kept_as_it_can_be_shown(odd_process, tmp_path, sound):
    collection = collect(CollectOptions(match="\udcff--api-key|api-key", pids=(odd_process.pid,)), path="")
    write(collection, str(tmp_path / "e.tar.gz"))

    assert sound(tmp_path / "e.tar.gz").manifest.arguments[2:] == ("--match", "\\xff--api-key|api-key")
