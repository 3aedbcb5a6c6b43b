"""Processes that end, change or are larger than any that one thinks of; commands without end; a clock that steps back."""

import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write

SYSTEM = "/usr/bin:/bin"
MANY_THREADS = 10_000
MANY_MAPPINGS = 100_000
BORN_AND_DYING = """
import threading, time
def work():
    time.sleep(0.002)
print(flush=True)
while True:
    for thread in [threading.Thread(target=work) for _ in range(200)]:
        thread.start()
"""
THREADS = """
import sys, threading, time
threading.stack_size(65536)
for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(flush=True)
time.sleep(600)
"""
MAPPINGS = """
import mmap, sys, time
protections = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)  # neighbours that are the same become one mapping
kept = [mmap.mmap(-1, 4096, prot=protections[number % 2]) for number in range(int(sys.argv[1]))]
print(flush=True)
time.sleep(600)
"""


@pytest.fixture
def started():
    """A function that runs a program until it has printed a line."""
    running = []

    def start(code, *arguments):
        process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        running.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def written(tmp_path, sound):
    """A function that writes a collection into a bundle and opens that."""

    def make(collection):
        write(collection, str(tmp_path / "e.tar.gz"))
        return sound(tmp_path / "e.tar.gz")

    return make


def test_of_processes_that_end_at_once_each_is_read_or_a_gap(started, written):
    processes = [started("print(flush=True); import time; time.sleep(600)") for _ in range(12)]
    pids = [process.pid for process in processes]

    def progress(step):
        if step.startswith("reading 12 processes"):
            for process in processes[:4]:
                process.kill()
                process.wait()
            threading.Thread(target=lambda: [process.kill() for process in processes[4:8]]).start()

    opened = written(collect(CollectOptions(pids=tuple(pids)), path="", progress=progress))
    gaps = opened.manifest.gaps()

    assert {gaps["root/proc/%d" % pid].kind for pid in pids[:4]} == {"gone"}
    assert [pid for pid in pids[4:] if not opened.tree.text("root/proc/%d/status" % pid) and "root/proc/%d" % pid not in gaps] == []
    assert all(opened.tree.text("again/1/root/proc/%d/stat" % pid) for pid in pids[8:])


def test_threads_by_the_hundred_that_are_born_and_die(started, written):
    process = started(BORN_AND_DYING)
    opened = written(collect(CollectOptions(pids=(process.pid,)), path=""))

    assert opened.tree.text("root/proc/%d/status" % process.pid)
    assert opened.tree.text("root/proc/%d/task/%d/stat" % (process.pid, process.pid))


def permitted_threads():
    """So many as this host and this user may have; the kernel keeps one thread's number in /proc for each."""
    system = int(Path("/proc/sys/kernel/threads-max").read_text())
    own, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    limits = [system // 2, *([own // 2] if own != resource.RLIM_INFINITY else [])]
    group = Path("/sys/fs/cgroup/pids.max")
    limits += [int(group.read_text()) // 2] if group.exists() and group.read_text().strip().isdigit() else []
    return min(MANY_THREADS, *limits)


@pytest.mark.slow
def test_a_process_of_ten_thousand_threads(started, written):
    number = permitted_threads()
    process = started(THREADS, number)
    opened = written(collect(CollectOptions(pids=(process.pid,), deadline_s=300), path=""))
    kept, told = opened.tree.names("root/proc/%d/task" % process.pid), opened.manifest.gaps()

    hung = [gap for path, gap in told.items() if path.startswith("root/proc/%d" % process.pid) and gap.kind == "timed-out"]
    assert "Threads:\t%d\n" % number in opened.tree.get("root/proc/%d/status" % process.pid).text
    assert len(kept) == number or hung


@pytest.mark.slow
def test_a_process_of_as_many_mappings_as_the_kernel_lets_it_have(started, written):
    number = min(MANY_MAPPINGS, int(Path("/proc/sys/vm/max_map_count").read_text()) - 1000)
    process = started(MAPPINGS, number)
    opened = written(collect(CollectOptions(pids=(process.pid,), deadline_s=300), path=""))

    assert opened.tree.get("root/proc/%d/numa_maps" % process.pid).data.count(b"\n") > number


def test_a_recorded_process_of_a_hundred_thousand_mappings(make_root, written):
    lines = "".join(
        "%x default anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n" % (0x7F0000000000 + 8192 * number) for number in range(MANY_MAPPINGS)
    )
    status = "Name:\trank\nPid:\t7\nRssAnon:\t400000 kB\nRssShmem:\t0 kB\nRssFile:\t0 kB\n"
    stat = "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"
    root = make_root({"proc/7/stat": stat, "proc/7/status": status, "proc/7/numa_maps": lines})
    opened = written(collect(CollectOptions(pids=(7,), root=root), path=""))

    assert opened.tree.get("root/proc/7/numa_maps").data == lines.encode()


@pytest.fixture
def tools(tmp_path):
    """A function that makes a PATH of stubs by their names."""

    def make(**bodies):
        folder = tmp_path / "bin"
        folder.mkdir(mode=0o755)
        for name, body in bodies.items():
            (folder / name.replace("_", "-")).write_text("#!/bin/sh\n" + body)
            (folder / name.replace("_", "-")).chmod(0o755)
        return "%s:%s" % (folder, SYSTEM)

    return make


def outcomes(opened, program):
    return {(run.outcome, run.reason) for run in opened.manifest.commands if run.argv[0] == program}


def test_a_gibibyte_of_output_is_cut_whichever_pipe_it_comes_by(tools, written, tmp_path):
    path = tools(
        nvidia_smi="exec head -c 1073741824 /dev/zero\n",
        lscpu="exec head -c 1073741824 /dev/zero >&2\n",
        numactl="exec yes 'node 0 cpus: 0 1'\n",
    )
    opened = written(collect(CollectOptions(host_only=True), path=path))

    assert [outcomes(opened, name) for name in ("nvidia-smi", "lscpu", "numactl")] == [{("cut", "printed more than 4 MiB")}] * 3
    assert opened.manifest.gaps()["commands/nvidia-smi_-L.out"].kind == "cut"
    assert (tmp_path / "e.tar.gz").stat().st_size < 2**20


def test_a_command_that_ignores_sigterm_and_a_helper_in_a_session_of_its_own_that_keeps_the_pipes(tools, written, tmp_path):
    keeps = "setsid sh -c 'echo $$ >> %s; exec sleep 60' &\necho GPU 0\n" % (tmp_path / "pids")
    path = tools(numactl=keeps, lscpu="trap '' TERM HUP INT\nwhile :; do sleep 60; done\n")
    began = time.monotonic()
    opened = written(collect(CollectOptions(host_only=True, deadline_s=5), path=path))
    took = time.monotonic() - began
    for pid in (tmp_path / "pids").read_text().split():
        os.kill(int(pid), 9)

    assert outcomes(opened, "lscpu") == {("timed-out", "still running at its deadline")}
    assert outcomes(opened, "numactl") == {("ok", "")}
    assert took < 50


@pytest.mark.parametrize("readings", [("2026-11-29T10:15:02Z", "2026-11-29T10:14:00Z"), ("2026-11-29T10:15:02Z", "1970-01-01T00:00:00Z")])
def test_a_clock_that_steps_back_changes_times_and_nothing_else(readings, sleeper, written):
    """What the clock told is in the manifest alone: deadlines and distances go by the monotonic clock."""
    collection = collect(CollectOptions(pids=(sleeper.pid,)), path="")
    stepped = collection.manifest._replace(collected_at=readings[0], readings=readings)
    opened = written(collection._replace(manifest=stepped))

    assert opened.manifest.readings == readings
    assert opened.tree.text("again/1/root/proc/%d/stat" % sleeper.pid)
