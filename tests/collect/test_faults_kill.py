"""kill -9 of the collector in every phase: a whole bundle or none is left, and nobody who goes on."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

COLLECT = """
import os, signal, sys
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write

def progress(step):
    print(step, flush=True)
    if step.startswith(sys.argv[1]) and "tools" not in step:
        os.kill(os.getpid(), signal.SIGKILL)

collection = collect(CollectOptions(all_processes=True), path=sys.argv[2], progress=progress)
print("writing", flush=True)
write(collection, sys.argv[3])
"""
STEPS = (
    ("choosing processes", ""), ("reading", ""), ("reading the host", ""), ("running tools", "lscpu"), ("running GPU tools", "nvidia-smi"),
    ("reading CPU times again", ""),
)  # fmt: skip
TOOL = """#!/bin/sh
echo $$ >> {pids}
/bin/sleep 100 &
echo $! >> {pids}
wait
"""


@pytest.fixture
def stubs(tmp_path):
    """A function that makes a PATH on which a tool hangs, with a helper; and the file to which it writes their PIDs."""
    folder, pids = tmp_path / "bin", tmp_path / "pids"
    folder.mkdir(mode=0o755)
    pids.touch()

    def make(name):
        if name:
            (folder / name).write_text(TOOL.format(pids=pids))
            (folder / name).chmod(0o755)
        return folder, pids

    return make


def marked(mark):
    """PIDs of processes that were started, or forked, with a mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path("/proc", pid, "environ").read_bytes():
                found.append(int(pid))
        except OSError:
            continue
    return found


def none_left(living):
    until = time.monotonic() + 30
    while living() and time.monotonic() < until:
        time.sleep(0.02)
    return living() == []


@pytest.mark.parametrize(("step", "hanging"), STEPS)
def test_nothing_is_left_of_a_collector_that_is_killed(step, hanging, stubs, tmp_path):
    folder, pids = stubs(hanging)
    target, mark = tmp_path / "out" / "e.tar.gz", "MARK=%s" % uuid.uuid4()
    target.parent.mkdir()
    command = [sys.executable, "-c", COLLECT, step, str(folder), str(target)]
    environ = {**os.environ, "MARK": mark[len("MARK=") :]}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        seen = []
        for line in process.stdout:
            seen.append(line.strip())
            if hanging and line.startswith(step):
                until_they_run(pids)
                process.kill()

    def living():
        told = [pid for pid in map(int, pids.read_text().split()) if Path("/proc/%d" % pid).exists()]
        return told + marked(mark)

    assert process.returncode == -signal.SIGKILL
    assert "writing" not in seen
    assert none_left(living)
    assert list(target.parent.iterdir()) == []


def until_they_run(pids):
    """Each command that hangs writes two lines: its own PID and its helper's."""
    until = time.monotonic() + 30
    while not pids.read_text() or len(pids.read_text().splitlines()) % 2:
        assert time.monotonic() < until
        time.sleep(0.01)


WRITE = """
import os, signal, sys
from numaaudit.bundle.archive import write_bundle
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.storage import Leaf, Members

def killed():
    os.kill(os.getpid(), signal.SIGKILL)

members = Members()
members.add_bytes("root/proc/1/numa_maps", os.urandom(8_000_000))
members.add("root/proc/2/status", Leaf("root/proc/2/status", killed))
write_bundle(sys.argv[1], Manifest("0", "0", "gpu-7", "", "", "2026-11-29T10:15:00Z"), members)
"""


@pytest.mark.parametrize("name", ["e.tar", "e.tar.gz"])
def test_a_bundle_that_was_being_written_has_no_name_yet(name, tmp_path):
    done = subprocess.run([sys.executable, "-c", WRITE, str(tmp_path / name)], check=False, timeout=60)

    assert done.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir() if not (path.name.startswith(".") and path.name.endswith(".part"))] == []
