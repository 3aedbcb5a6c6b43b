import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tree import Gap
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import bundle_name, write
from numaaudit.core.errors import CollectError, UsageError

SYSTEM = "/usr/bin:/bin"


@pytest.fixture
def nvidia_smi(tmp_path):
    """Write a stub of nvidia-smi; the answer is a PATH that finds it."""

    def make(body):
        folder = tmp_path / "bin"
        folder.mkdir(mode=0o755)
        (folder / "nvidia-smi").write_text("#!/bin/sh\n" + body)
        (folder / "nvidia-smi").chmod(0o755)
        return "%s:%s" % (folder, SYSTEM)

    return make


def outcomes(manifest, program):
    return {(run.outcome, run.reason) for run in manifest.commands if run.argv[0] == program}


def test_a_live_process_and_its_host_are_collected(sleeper):
    collection = collect(CollectOptions(pids=(sleeper.pid,)), path=SYSTEM)
    tree, manifest = collection.tree(), collection.manifest

    status = "root/proc/%d/status" % sleeper.pid
    assert "Pid:\t%d\n" % sleeper.pid in tree.get(status).text
    assert b"LOCAL_RANK=3" in tree.get("root/proc/%d/environ" % sleeper.pid).data
    assert tree.get("again/1/root/proc/%d/stat" % sleeper.pid).text.startswith("%d (" % sleeper.pid)
    assert tree.text("root/proc/version") == Path("/proc/version").read_text().strip()
    assert tree.get("commands/uname_-a.out").text.startswith("Linux")
    assert manifest.selection == ({"pid": sleeper.pid, "why": "named by --pid"},)
    assert (len(manifest.readings), manifest.interrupted, manifest.boot_id) == (
        2,
        False,
        Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
    )


def test_the_second_reading_comes_at_least_a_second_after_the_first(sleeper):
    began = time.monotonic()
    collect(CollectOptions(pids=(sleeper.pid,)), path="")

    assert 1.0 < time.monotonic() - began < 20.0


def test_a_written_bundle_is_intact_private_and_read_back_the_same(sleeper, tmp_path):
    collection = collect(CollectOptions(pids=(sleeper.pid,)), path=SYSTEM)
    path = str(tmp_path / "e.tar.gz")
    write(collection, path)

    tree = open_input(path).tree
    assert verify_bundle(path).intact
    assert os.stat(path).st_mode & 0o777 == 0o600
    for entry in collection.manifest.entries:
        if entry.outcome == "ok" and entry.link is None and entry.files == 1 and "/task" not in entry.path:
            assert tree.get(entry.path).data == collection.tree().get(entry.path).data


def test_a_planted_secret_is_nowhere_in_the_bundle(tmp_path):
    log = tmp_path / "run.log"
    log.write_text("starting with API_TOKEN=hunter2-planted and --api-key hunter2-planted\n")
    command = [sys.executable, "-c", "import time; time.sleep(60)", "--api-key", "hunter2-planted"]
    with subprocess.Popen(command, env={"API_TOKEN": "hunter2-planted", "LOCAL_RANK": "0"}) as process:
        collection = collect(CollectOptions(pids=(process.pid,), logs=(str(log),)), path="")
        process.kill()
    write(collection, str(tmp_path / "e.tar"))

    data = (tmp_path / "e.tar").read_bytes()
    assert b"LOCAL_RANK=0" in data
    assert b"hunter2-planted" not in data


def test_no_nvidia_smi_is_a_fact(sleeper):
    manifest = collect(CollectOptions(host_only=True), path=SYSTEM).manifest

    assert outcomes(manifest, "nvidia-smi") == {("absent", "nvidia-smi is not in PATH")}
    assert outcomes(manifest, "uname") == {("ok", "")}


def test_an_nvidia_smi_that_never_returns_costs_only_its_own_answers(sleeper, nvidia_smi):
    began = time.monotonic()
    collection = collect(CollectOptions(pids=(sleeper.pid,), deadline_s=4.0), path=nvidia_smi("trap '' TERM\nsleep 100\n"))

    assert time.monotonic() - began < 20
    assert outcomes(collection.manifest, "nvidia-smi") == {("timed-out", "still running at its deadline")}
    assert isinstance(collection.tree().get("commands/nvidia-smi_-L.out"), Gap)
    assert collection.tree().text("root/proc/%d/status" % sleeper.pid)
    assert collection.manifest.gaps()["again/1/root/proc/%d" % sleeper.pid].kind == "not-run"


def test_an_nvidia_smi_that_prints_endlessly_is_cut(nvidia_smi):
    manifest = collect(CollectOptions(host_only=True), path=nvidia_smi("exec yes GPU\n")).manifest

    assert outcomes(manifest, "nvidia-smi") == {("cut", "printed more than 4 MiB")}


def test_a_pid_that_does_not_exist_beside_one_that_does_is_gone(sleeper):
    manifest = collect(CollectOptions(pids=(2**22 + 1, sleeper.pid)), path="").manifest

    assert manifest.gaps()["root/proc/%d" % (2**22 + 1)] == Gap("gone", "root/proc/%d" % (2**22 + 1), "no such process")


def test_a_process_that_ends_between_the_readings_keeps_the_first(sleeper):
    def progress(step):
        if step == "reading the host":
            sleeper.kill()
            sleeper.wait()

    collection = collect(CollectOptions(pids=(sleeper.pid,)), path="", progress=progress)

    again = "again/1/root/proc/%d" % sleeper.pid
    assert collection.manifest.gaps()[again] == Gap("gone", again, "the process ended between the readings")
    assert collection.tree().text("root/proc/%d/status" % sleeper.pid)


def test_nothing_to_collect_is_an_error_before_anything_is_read():
    with pytest.raises(CollectError, match="no such process: 4194305"):
        collect(CollectOptions(pids=(2**22 + 1,)), path="")


def test_asked_to_stop_the_rest_is_recorded_as_not_run(sleeper):
    steps = []
    collection = collect(CollectOptions(pids=(sleeper.pid,)), lambda: "reading the host" in steps, SYSTEM, steps.append)

    manifest = collection.manifest
    assert manifest.interrupted
    assert outcomes(manifest, "uname") == outcomes(manifest, "nvidia-smi") == {("not-run", "interrupted")}
    assert manifest.gaps()["root/proc/interrupts"] == Gap("not-run", "root/proc/interrupts", "interrupted")
    assert collection.tree().text("root/proc/%d/status" % sleeper.pid)


def test_the_root_of_another_host_is_read_and_no_command_is_run(make_root):
    root = make_root(
        {
            "proc/7/stat": "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n",
            "proc/7/cgroup": "0::/job\n",
            "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
            "proc/sys/kernel/hostname": "gpu-7\n",
            "sys/fs/cgroup/job/cpuset.cpus.effective": "0-3\n",
            "sys/devices/system/node/node0/cpulist": "0-31\n",
        }
    )
    collection = collect(CollectOptions(pids=(7,), root=root), path=SYSTEM)
    tree = collection.tree()

    assert collection.manifest.hostname == "gpu-7"
    assert tree.text("root/sys/fs/cgroup/job/cpuset.cpus.effective") == "0-3"
    assert tree.text("root/sys/devices/system/node/node0/cpulist") == "0-31"
    assert outcomes(collection.manifest, "lscpu") == {("not-run", "the root is not that of this host")}


def test_the_manifest_survives_its_own_file(sleeper):
    manifest = collect(CollectOptions(pids=(sleeper.pid,)), path=SYSTEM).manifest

    assert Manifest.from_json(manifest.to_json()) == manifest
    assert json.loads(manifest.to_json())["format"] == "numaaudit.bundle/1"


def test_the_name_of_a_bundle_has_the_time_and_the_host():
    manifest = Manifest("", "", "", "1a2bcdef", "", "2026-11-29T10:15:00Z")

    assert bundle_name(manifest) == "numaaudit-20261129T101500Z-1a2b.tar.gz"


def test_bundles_of_one_second_get_names_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    collection = collect(CollectOptions(host_only=True), path="")
    names = [write(collection) for _ in range(3)]

    stem = bundle_name(collection.manifest)[: -len(".tar.gz")]
    assert [f"{stem}.tar.gz", f"{stem}-2.tar.gz", f"{stem}-3.tar.gz"] == names


def test_what_cannot_be_written_where_it_should_is_saved_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    collection = collect(CollectOptions(host_only=True), path="")

    saved = tmp_path / bundle_name(collection.manifest)
    with pytest.raises(CollectError, match=f"gone: no such directory; what was collected is in {saved}"):
        write(collection, str(tmp_path / "gone" / "e.tar"))
    assert verify_bundle(str(saved)).intact


@pytest.mark.parametrize("seconds", (0, -1, float("nan")))
def test_a_deadline_that_is_none_is_refused(seconds):
    with pytest.raises(UsageError, match="--deadline"):
        collect(CollectOptions(host_only=True, deadline_s=seconds))


COLLECT = """
import os, sys
from numaaudit.collect.interrupt import Interrupt
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write
with Interrupt() as interrupt:
    write(collect(CollectOptions(host_only=True), interrupt, sys.argv[2], lambda step: print(step, flush=True)), sys.argv[1])
"""


@pytest.fixture
def hanging_collection(nvidia_smi, tmp_path):
    """A collection that waits for nvidia-smi, in a process of its own."""
    command = [sys.executable, "-c", COLLECT, str(tmp_path / "e.tar"), nvidia_smi("sleep 100\n")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.stdout.readline() != "running GPU tools\n":
            pass
        yield process
        process.kill()


def test_ctrl_c_once_leaves_a_valid_bundle(hanging_collection, tmp_path):
    hanging_collection.send_signal(signal.SIGINT)
    hanging_collection.wait(10)

    opened = open_input(str(tmp_path / "e.tar"))
    assert verify_bundle(str(tmp_path / "e.tar")).intact
    assert opened.tree.text("root/proc/version") == Path("/proc/version").read_text().strip()
    assert opened.tree.get("commands/nvidia-smi_-L.out") == Gap("not-run", "commands/nvidia-smi_-L.out", "interrupted")


def test_ctrl_c_twice_leaves_nothing(hanging_collection, tmp_path):
    hanging_collection.send_signal(signal.SIGSTOP)
    hanging_collection.send_signal(signal.SIGINT)
    hanging_collection.send_signal(signal.SIGTERM)
    hanging_collection.send_signal(signal.SIGCONT)
    hanging_collection.wait(10)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin"]
