"""Windows on this host, and on roots of invented ones."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tree import Gap
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.schedule import Schedule
from numaaudit.collect.window import bar
from numaaudit.collect.window_reading import Reading
from numaaudit.collect.window_totals import WindowTotals
from numaaudit.core.errors import UsageError

SAMPLE = "samples/window.json"
STAT = "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 0\n"
ROOT = {
    "proc/7/stat": STAT,
    "proc/7/task/7/stat": STAT,
    "proc/7/cgroup": "0::/job\n",
    "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
    "proc/vmstat": "numa_hit 5\nnuma_hint_faults 2\n",
    "proc/interrupts": "     CPU0\n 1:   9  IO-APIC 1-edge  x\n",
    "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=3\n",
    "sys/fs/cgroup/job/cpu.stat": "usage_usec 4\nnr_periods 2\nnr_throttled 1\n",
    "sys/devices/system/node/node0/cpulist": "0-3\n",
    "sys/devices/system/node/node0/numastat": "numa_hit 5\n",
}
ENDS = ("proc/interrupts", "proc/vmstat", "proc/pressure/cpu", "sys/fs/cgroup/job/cpu.stat", "sys/devices/system/node/node0/numastat")


@pytest.fixture
def busy():
    """A process that does nothing but use CPU time, for a minute."""
    code = "import time; print(flush=True); end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


def window(collection):
    return json.loads(collection.tree().get(SAMPLE).data)


def test_a_busy_process_is_watched_for_two_seconds(busy):
    began = time.monotonic()
    collection = collect(CollectOptions(pids=(busy.pid,), duration="2s", every="500ms", deadline_s=30.0, mark="baseline"), path="")
    document, tree = window(collection), collection.tree()

    assert time.monotonic() - began >= 2
    assert document["readings"] + len(document["missed"]) == 4
    assert document["seconds"] >= 2
    assert document["between_ends_s"] >= document["seconds"]
    (process,) = document["processes"]
    assert (process["pid"], process["has_ended"], process["threads_seen"], process["threads_ended"]) == (busy.pid, False, 1, 0)
    assert process["cpu_ticks"] == process["threads"][0]["cpu_ticks"] > 0
    assert process["threads"][0]["ran"] >= 1
    assert sum(document["cpu_ticks"]) == process["cpu_ticks"]
    for number in (1, 2):
        assert tree.get(f"again/{number}/root/proc/{busy.pid}/stat").text.startswith(f"{busy.pid} (")
        assert tree.get(f"again/{number}/root/proc/vmstat").text.startswith("nr_free_pages")
        assert "CPU0" in tree.get(f"again/{number}/root/proc/interrupts").text
    assert len(collection.manifest.readings) == 3
    assert collection.manifest.mark == "baseline"
    assert collection.manifest.gaps().get(SAMPLE) is None


def test_what_a_window_reads_is_what_was_read_first(make_root):
    collection = collect(CollectOptions(pids=(7,), root=make_root(ROOT), duration="200ms", every="100ms"), path="")
    tree = collection.tree()

    for number in (1, 2):
        assert [tree.text(f"again/{number}/root/{path}") for path in ENDS] == [ROOT[path].strip() for path in ENDS]
        assert tree.get(f"again/{number}/root/proc/7/task/7/stat").text == STAT
    assert {f"{each['folder']}/{each['file']}": each["grown"] for each in window(collection)["counters"]} == {
        "/sys/devices/system/node/node0/numastat": {"numa_hit": [0, 0]},
        "/proc/vmstat": {"numa_hit": [0, 0], "numa_hint_faults": [0, 0]},
        "/proc/pressure/cpu": {"some": [0, 0]},
        "/sys/fs/cgroup/job/cpu.stat": {"usage_usec": [0, 0], "nr_periods": [0, 0], "nr_throttled": [0, 0]},
    }


def test_without_processes_the_host_is_watched(make_root):
    collection = collect(CollectOptions(host_only=True, root=make_root(ROOT), duration="100ms", every="100ms"), path="")

    assert window(collection)["processes"] == []
    assert collection.tree().text("again/2/root/proc/vmstat") == ROOT["proc/vmstat"].strip()
    assert len(collection.manifest.readings) == 3


def test_without_a_duration_there_is_one_more_reading_of_processes_only(make_root):
    tree = collect(CollectOptions(pids=(7,), root=make_root(ROOT)), path="").tree()

    assert tree.get("again/1/root/proc/7/stat").text == STAT
    assert [type(tree.get(path)) for path in (SAMPLE, "again/1/root/proc/vmstat", "again/2/root/proc/7/stat")] == [Gap] * 3


def test_the_window_comes_on_top_of_the_deadline(make_root):
    collection = collect(CollectOptions(pids=(7,), root=make_root(ROOT), duration="2s", every="500ms", deadline_s=0.5), path="")

    assert collection.manifest.gaps().get(SAMPLE) is None
    assert window(collection)["seconds"] >= 2


def test_a_process_that_ends_inside_the_window_is_counted(busy):
    def progress(step):
        if "] 0 of" not in step and step.startswith("watching"):
            busy.kill()
            busy.wait()

    collection = collect(CollectOptions(pids=(busy.pid,), duration="1s", every="200ms"), path="", progress=progress)

    (process,) = window(collection)["processes"]
    assert (process["has_ended"], process["threads_seen"], process["threads_ended"]) == (True, 1, 1)
    gone = f"again/2/root/proc/{busy.pid}"
    assert collection.manifest.gaps()[gone] == Gap("gone", gone, "the process ended between the readings")


def test_threads_that_are_born_inside_the_window_are_counted(tmp_path):
    code = "import sys, threading, time; print(flush=True); sys.stdin.readline(); threading.Thread(target=time.sleep, args=(60,)).start()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()

        def progress(step):
            if step.startswith("watching") and "] 1 of" in step:
                process.stdin.write(b"\n")
                process.stdin.flush()

        collection = collect(CollectOptions(pids=(process.pid,), duration="3s", every="500ms"), path="", progress=progress)
        process.kill()

    (seen,) = window(collection)["processes"]
    assert (seen["has_ended"], seen["threads_seen"], seen["threads_born"]) == (False, 2, 1)


def test_asked_to_stop_inside_the_window_what_is_there_is_kept(make_root):
    steps = []

    def is_over():
        return len([step for step in steps if step.startswith("watching")]) >= 3

    options = CollectOptions(pids=(7,), root=make_root(ROOT), duration="60s", every="100ms")
    collection = collect(options, is_over, "", steps.append)
    document, gap = window(collection), collection.manifest.gaps()[SAMPLE]

    assert collection.manifest.interrupted
    assert 1 <= document["readings"] < 600
    assert (gap.kind, gap.reason) == ("cut", f"interrupted after {document['readings']} of 600 readings")
    assert collection.tree().text("again/2/root/proc/vmstat") == ROOT["proc/vmstat"].strip()
    assert collection.tree().get("again/2/root/proc/7/stat").text == STAT


def test_stopped_before_it_there_is_no_window(make_root):
    steps = []
    options = CollectOptions(pids=(7,), root=make_root(ROOT), duration="60s")
    collection = collect(options, lambda: "reading CPU times again" in steps, "", steps.append)

    assert collection.manifest.gaps()[SAMPLE] == Gap("not-run", SAMPLE, "interrupted")
    assert isinstance(collection.tree().get("again/2/root/proc/vmstat"), Gap)


def test_under_pseudonyms_a_window_still_finds_its_control_groups(make_root, tmp_path):
    (tmp_path / "key").write_text("x" * 64)
    (tmp_path / "key").chmod(0o600)
    files = {path.replace("/job/", "/acme-secret.scope/"): text.replace("/job\n", "/acme-secret.scope\n") for path, text in ROOT.items()}
    options = CollectOptions(pids=(7,), root=make_root(files), duration="100ms", every="100ms", pseudonyms=str(tmp_path / "key"))
    collection = collect(options, path="")

    assert b"acme" not in collection.tree().get(SAMPLE).data
    (folder,) = [each["folder"] for each in window(collection)["counters"] if each["file"] == "cpu.stat"]
    assert collection.tree().text(f"again/2/root{folder}/cpu.stat") == ROOT["sys/fs/cgroup/job/cpu.stat"].strip()


@pytest.mark.parametrize(("options", "message"), [({"duration": "x"}, "--duration"), ({"mark": "before"}, "--mark before: not one of")])
def test_what_makes_no_sense_is_refused_before_anything_is_read(make_root, options, message):
    with pytest.raises(UsageError, match=message):
        collect(CollectOptions(pids=(7,), root=make_root(ROOT), **options), path="")


def test_the_bar_shows_how_far_it_is():
    schedule = Schedule(30.0, 1.0)
    totals = WindowTotals(schedule, {})
    assert bar(totals, schedule) == "watching [" + " " * 30 + "] 0 of 30 s"

    for at_s in (0.0, 6.0):
        totals.add(Reading(int(at_s), at_s, False, (), {}, {}))
    assert bar(totals, schedule) == "watching [######" + " " * 24 + "] 6 of 30 s"

    totals.add(Reading(30, 31.0, True, (), {}, {}))
    assert bar(totals, schedule) == "watching [" + "#" * 30 + "] 31 of 30 s"


def test_ctrl_c_inside_a_window_writes_a_whole_bundle(tmp_path, make_root):
    path = str(tmp_path / "e.tar")
    command = [sys.executable, "-m", "numaaudit", "collect", "--host-only", "--root", make_root(ROOT), "--duration", "60s", "-o", path]
    master, slave = os.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, text=True) as process:
        shown = b""
        while b"] 1 of 60 s" not in shown:
            shown += os.read(master, 1024)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=20)[0]
    os.close(master)
    os.close(slave)

    assert process.returncode == 130
    assert "cut, 1 time (samples/window.json): interrupted after 1 of 60 readings" in output
    assert verify_bundle(path).intact
    assert json.loads(open_input(path).tree.get(SAMPLE).data)["readings"] == 1
