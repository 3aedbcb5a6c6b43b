"""Files that are no files, that never answer, or that nobody may read: the bundle is whole, and each gap has its name."""

import ctypes
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.collect.collector import collectors
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write

CLONE_NEWNS = 0x20000  # linux/sched.h
MS_REC_AND_PRIVATE = 0x4000 | 0x40000  # linux/mount.h
NOBODY = 65534
STAT = "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"
HOST = {
    "proc/7/stat": STAT,
    "proc/7/status": "Name:\trank\nPid:\t7\nRssAnon:\t8 kB\nRssShmem:\t0 kB\nRssFile:\t0 kB\n",
    "proc/7/cgroup": "0::/job\n",
    "proc/7/limits": "Max open files 1024 1024 files\n",
    "proc/7/environ": "LOCAL_RANK=0\0",
    "proc/7/cmdline": "python3\0",
    "proc/7/numa_maps": "00400000 default anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n",
    "proc/7/task/7/stat": STAT,
    "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    "proc/version": "Linux version 6.1.0\n",
    "proc/meminfo": "MemTotal: 1024 kB\n",
    "proc/sys/kernel/hostname": "gpu-7\n",
    "sys/fs/cgroup/job/cpuset.cpus.effective": "0-3\n",
    "sys/devices/system/node/online": "0-1\n",
    "sys/devices/system/node/node0/cpulist": "0-31\n",
    "sys/devices/system/node/node1/cpulist": "32-63\n",
}


@pytest.fixture
def collected(make_root, tmp_path, sound):
    """A function that collects the invented host into a bundle and opens that."""

    def make(root, **options):
        collection = collect(CollectOptions(pids=(7,), root=root, **options), path="")
        write(collection, str(tmp_path / "e.tar.gz"))
        return sound(tmp_path / "e.tar.gz")

    return make


def in_place_of(path, make):
    os.unlink(path)
    make(path)


@pytest.mark.parametrize(
    "path",
    [
        "proc/7/status", "proc/7/cgroup", "proc/7/environ", "proc/7/numa_maps", "proc/version", "proc/meminfo",
        "sys/devices/system/node/online", "sys/devices/system/node/node1/cpulist", "sys/fs/cgroup/job/cpuset.cpus.effective",
    ],
)  # fmt: skip
def test_a_fifo_in_the_place_of_a_file_is_a_gap(path, make_root, collected):
    root = make_root(HOST)
    in_place_of(os.path.join(root, path), os.mkfifo)
    opened = collected(root)

    assert opened.manifest.gaps()["root/" + path] == Gap("absent", "root/" + path, "not a regular file")
    assert opened.tree.text("root/sys/devices/system/node/node0/cpulist") == "0-31"


@pytest.mark.parametrize("path", ["proc/mounts", "proc/sys/kernel/hostname", "proc/7/stat"])
def test_a_fifo_where_the_collector_itself_looks_is_not_waited_for(path, make_root, collected):
    root = make_root(HOST)
    in_place_of(os.path.join(root, path), os.mkfifo)

    assert collected(root).manifest.gaps()["root/" + path].reason == "not a regular file"


def test_a_log_that_is_a_fifo_is_a_gap(make_root, collected, tmp_path):
    os.mkfifo(tmp_path / "run.log")
    opened = collected(make_root(HOST), logs=(str(tmp_path / "run.log"),))

    assert opened.manifest.gaps()["logs/run.log"].reason.startswith("not a regular file")


def test_a_directory_in_the_place_of_a_file_is_no_file(make_root, collected):
    root = make_root(HOST)
    in_place_of(root + "/proc/meminfo", os.mkdir)
    in_place_of(root + "/proc/7/status", os.mkdir)
    opened = collected(root)

    assert isinstance(opened.tree.get("root/proc/meminfo"), Gap)
    assert opened.manifest.gaps()["root/proc/7/status"].kind == "absent"


def test_a_file_that_another_process_has_leased_is_not_waited_for(make_root, collected):
    """Opening it blocks until the lease is given back, for /proc/sys/fs/lease-break-time seconds (fcntl(2), F_SETLEASE)."""
    root = make_root(HOST)
    with open(root + "/proc/meminfo", "r+") as file:
        fcntl.fcntl(file, fcntl.F_SETSIG, 23)  # SIGURG, which is ignored
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        opened = collected(root)

    gap = opened.manifest.gaps()["root/proc/meminfo"]
    assert (gap.kind, gap.reason) == ("absent", "Resource temporarily unavailable")


def as_nobody(work):
    """The exit code of ``work`` in a child without any right; all modules were loaded by root before."""
    collectors()
    pid = os.fork()
    if pid == 0:
        code = 9
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def open_folder(tmp_path):
    """A folder that everybody may write to, below folders that everybody may pass."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder.stat().st_mode & 0o001 == 0 and "pytest" in str(folder):
            folder.chmod(folder.stat().st_mode | 0o011)
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


if os.geteuid() == 0:

    def test_another_users_process_gives_what_everybody_may_see(sleeper, open_folder, sound):
        target = open_folder / "e.tar.gz"
        assert as_nobody(lambda: write(collect(CollectOptions(pids=(sleeper.pid,)), path=""), str(target))) == 0
        gaps, process = sound(target).manifest.gaps(), "root/proc/%d" % sleeper.pid

        assert {name: gaps["%s/%s" % (process, name)].kind for name in ("environ", "numa_maps", "fd")} == dict.fromkeys(
            ("environ", "numa_maps", "fd"), "refused"
        )
        assert "run: sudo numaaudit collect --pid %d" % sleeper.pid in gaps[process + "/environ"].reason

    def test_where_nothing_may_be_read_every_gap_is_a_refusal(make_root, open_folder, sound):
        root, target = make_root(HOST), open_folder / "e.tar.gz"
        for folder, _, files in os.walk(root, topdown=False):
            for name in files:
                os.chmod(os.path.join(folder, name), 0)
        assert as_nobody(lambda: write(collect(CollectOptions(pids=(7,), root=root), path=""), str(target))) == 0
        gaps = sound(target).manifest.gaps()

        unseen = ("proc/7/task/", "sys/fs/cgroup/")  # threads that have ended look the same; where groups are is in proc/mounts
        assert {path for path in HOST if not path.startswith(unseen)} == {
            path[len("root/") :] for path, gap in gaps.items() if gap.kind == "refused" and path[len("root/") :] in HOST
        }

    def test_folders_that_may_not_be_entered_are_refusals_too(make_root, open_folder, sound):
        root, target = make_root(HOST), open_folder / "e.tar.gz"
        os.chmod(root + "/proc/sys/kernel", 0)
        os.chmod(root + "/sys/devices/system/node/node1", 0)
        assert as_nobody(lambda: write(collect(CollectOptions(pids=(7,), root=root), path=""), str(target))) == 0
        gaps = sound(target).manifest.gaps()

        paths = ("root/proc/sys/kernel/hostname", "root/sys/devices/system/node/node1/cpulist")
        assert [gaps[path].kind for path in paths] == ["refused", "refused"]


HANGING = """
import ctypes, os, sys
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write
libc = ctypes.CDLL(None, use_errno=True)
fuse = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=100000,user_id=0,group_id=0" % fuse
root, path, target = sys.argv[1:]
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None):
    sys.exit(77)
if libc.mount(b"fuse", os.fsencode(os.path.join(root, path)), b"fuse", 0, options):
    sys.exit(77)
write(collect(CollectOptions(pids=(7,), root=root, deadline_s=float(os.environ["SECONDS"])), path=""), target)
os._exit(0)
"""


def hang(root, path, target, seconds):
    """Collect where a file is a file system of its own that never answers (kernel Documentation/filesystems/fuse.rst)."""
    command = [sys.executable, "-c", HANGING, root, path, str(target)]
    return subprocess.run(command, env={**os.environ, "SECONDS": str(seconds)}, check=False, timeout=120).returncode


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def can_hang():
    """Whether such a file system may be mounted: root outside of most containers, with the kernel's module."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError:
        return False
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None)
        os._exit(1 if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC_AND_PRIVATE, None) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


if can_hang():

    def test_a_file_of_a_process_that_never_answers_costs_only_what_comes_after_it(make_root, tmp_path, sound):
        assert hang(make_root(HOST), "proc/7/environ", tmp_path / "e.tar.gz", 4) == 0
        opened = sound(tmp_path / "e.tar.gz")
        gaps = opened.manifest.gaps()

        assert gaps["root/proc/7/environ"].kind == "timed-out"
        assert gaps["root/proc/7/numa_maps"].reason == "no answer from proc/7/environ, which comes before it"
        assert opened.tree.text("root/proc/7/status").startswith("Name:\trank")

    def test_a_reader_that_hangs_dies_with_a_collector_that_is_killed(make_root, tmp_path):
        command = [sys.executable, "-c", HANGING, make_root(HOST), "proc/7/environ", str(tmp_path / "e.tar.gz")]
        process = subprocess.Popen(command, env={**os.environ, "SECONDS": "60"})
        children = Path("/proc/%d/task/%d/children" % (process.pid, process.pid))
        until(lambda: len(children.read_text().split()) == 2)  # the reader, and who watches it once it is silent
        pids = children.read_text().split()
        process.kill()
        process.wait(30)

        until(lambda: not any(Path("/proc", pid).exists() for pid in pids))
        assert list(tmp_path.glob("*.tar.gz")) == []

    def test_a_file_of_the_host_that_never_answers_costs_only_its_collector(make_root, tmp_path, sound):
        assert hang(make_root(HOST), "proc/meminfo", tmp_path / "e.tar.gz", 60) == 0
        opened = sound(tmp_path / "e.tar.gz")
        pattern = next(gap for path, gap in opened.manifest.gaps().items() if "meminfo" in path)

        assert (pattern.kind, pattern.reason) == ("timed-out", "no answer")
        assert opened.tree.text("root/sys/devices/system/node/node1/cpulist") == "32-63"
