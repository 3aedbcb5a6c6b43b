"""What the script collects is what the collector collects, but for what the script says it leaves out."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import numaaudit
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.opening import open_input
from numaaudit.bundle.verify import verify_bundle
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.collect.writing import write

CUT = "the script reads only the policy; run it with --pid %d --pages full, or numaaudit collect --pid %d"
STATUS = "Name:\tpython3\nTgid:\t7\nPid:\t7\nPPid:\t1\nUid:\t0\t0\t0\t0\nRssAnon:\t1024 kB\nRssFile:\t0 kB\nRssShmem:\t0 kB\n"
GPU = "sys/devices/pci0000:00/0000:00:01.0/0000:17:00.0"
CHANGING = ("counters", "free_bytes", "memory_bytes", "total", "busiest_cpu", "last_cpu", "cpu_ticks", "cpu_ticks_delta")


HOST = {
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "proc/version": "Linux version 6.1.0\n",
    "proc/cmdline": "quiet isolcpus=1 key=hunter2secret\n",
    "proc/sys/kernel/hostname": "gpu-1\n",
    "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n/dev/sda2 /home ext4 rw 0 0\n",
    "sys/fs/cgroup/cgroup.controllers": "cpuset cpu\n",
    "sys/fs/cgroup/a.slice/cpuset.cpus": "0-3\n",
    "sys/fs/cgroup/a.slice/dev\\x2dx.scope/cpu.max": "max 100000\n",
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/devices/system/node/online": "0\n",
    "sys/devices/system/node/node0/cpulist": "0-3\n",
    "sys/devices/system/node/node0/distance": "10\n",
    "sys/bus/pci/devices/0000:00:01.0": "@../../../devices/pci0000:00/0000:00:01.0",
    "sys/bus/pci/devices/0000:17:00.0": "@../../../devices/pci0000:00/0000:00:01.0/0000:17:00.0",
    "sys/bus/pci/devices/0000:18:00.0": "@../../../devices/pci0000:00/0000:18:00.0",
    "sys/devices/pci0000:00/0000:00:01.0/class": "0x060400\n",
    "sys/devices/pci0000:00/0000:18:00.0/class": "0x040300\n",
    GPU + "/class": "0x030200\n",
    GPU + "/vendor": "0x10de\n",
    GPU + "/numa_node": "0\n",
    GPU + "/driver": "@../../../../bus/pci/drivers/nvidia",
    "sys/bus/pci/drivers/nvidia/bind": "",
    "proc/7/status": STATUS,
    "proc/7/stat": "7 (python3) S 1 7 7 0 -1 0 0 0 0 0 5 5 0 0 20 0 2 0 100 0 0 0\n",
    "proc/7/statm": "100 10 1 1 0 1 0\n",
    "proc/7/cgroup": "0::/a.slice/dev\\x2dx.scope\n",
    "proc/7/cmdline": "/usr/bin/python3\0-m\0vllm.x\0--api-key\0hunter2secret\0--tp\0002\0",
    "proc/7/environ": "LOCAL_RANK=0\0API_KEY=hunter2secret\0HOME=/home/ada\0",
    "proc/7/numa_maps": "5573e3e46000 bind:0 file=/home/hunter2secret/x anon=2 N0=2 kernelpagesize_kB=4\n",
    "proc/7/fd/3": "@/dev/nvidia0",
    "proc/7/fd/4": "@/home/ada/notes",
    "proc/8/stat": "8 (a b) c) S 1 8 8 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 100 0 0 0\n",
    "proc/8/statm": "0 0 0 0 0 0 0\n",
}
"""A host with a GPU behind a bridge, a sound card, a process that holds the GPU, and one that does not."""


@pytest.fixture
def host_root(make_root):
    """HOST with two threads in its process, each with a memory policy of its own."""
    files = dict(HOST)
    for tid, policy in ((7, "bind:0"), (9, "interleave:0")):
        files["proc/7/task/%d/comm" % tid] = "python3\n"
        files["proc/7/task/%d/status" % tid] = STATUS.replace("Pid:\t7", "Pid:\t%d" % tid)
        files["proc/7/task/%d/stat" % tid] = "%d (python3) S 1 7 7 0 -1 0 0 0 0 0 5 5 0 0 20 0 2 0 100 0 0 0\n" % tid
        files["proc/7/task/%d/numa_maps" % tid] = "5573e3e46000 %s anon=2 N0=2 kernelpagesize_kB=4\n" % policy
    return make_root(files)


def collected(options: CollectOptions, path: Path) -> str:
    """The bundle of the collector."""
    write(collect(options, path=os.environ["PATH"]), str(path))
    return str(path)


def manifest_of(path: str) -> Manifest:
    manifest = open_input(path).manifest
    assert manifest is not None
    return manifest


def lasting(value: Any) -> Any:
    """A document without what differs between two readings of a live host."""
    if isinstance(value, dict):
        return {name: lasting(each) for name, each in value.items() if name not in CHANGING}
    return [lasting(each) for each in value] if isinstance(value, list) else value


def differences(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """The parts of a document that differ, but for the time."""
    theirs["host"]["collected_at"] = ours["host"]["collected_at"]
    return {name: ours[name] for name in ours if name not in ("gaps", "numa_nodes") and lasting(ours[name]) != lasting(theirs[name])}


def gaps(document: dict[str, Any]) -> set[tuple[str, str, str]]:
    """But for samples, of which the script says that it takes none."""
    return {(gap["kind"], gap["path"], gap["reason"]) for gap in document["gaps"] if not gap["path"].startswith("samples/")}


def essentials(manifest: Manifest) -> set[tuple[Any, ...]]:
    """The entries, without how long each took, and but for samples."""
    return {
        (entry.path, entry.outcome, entry.size, entry.sha256, entry.link, entry.files, entry.collector)
        for entry in manifest.entries
        if not entry.path.startswith("samples/")
    }


def test_of_a_recorded_root_the_same_is_known(run, host_root, document, tmp_path):
    done = run("--root", host_root, "--pages", "full", "-o", "sh.tar.gz")
    theirs = document(collected(CollectOptions(root=host_root, pages="full"), tmp_path / "py.tar.gz"))
    ours = document(str(tmp_path / "sh.tar.gz"))

    assert (done.returncode, done.stderr) == (0, "")
    assert "  7: holds /dev/nvidia0\n" in done.stdout
    assert [process["pid"] for process in ours["processes"]] == [7]
    assert differences(theirs, ours) == {}
    assert gaps(ours) == gaps(theirs)


def test_the_bundle_is_intact_and_private_and_has_the_same_members(run, host_root, tmp_path):
    run("--root", host_root, "--pages", "full", "-o", "sh.tar.gz")
    theirs = manifest_of(collected(CollectOptions(root=host_root, pages="full"), tmp_path / "py.tar.gz"))
    ours = manifest_of(str(tmp_path / "sh.tar.gz"))
    [no_samples] = [entry for entry in ours.entries if entry.path == "samples/*"]

    assert no_samples.outcome == "not-run"
    assert verify_bundle(str(tmp_path / "sh.tar.gz")).intact
    assert os.stat(tmp_path / "sh.tar.gz").st_mode & 0o777 == 0o600
    assert essentials(ours) == essentials(theirs)
    assert (ours.host_id, ours.hostname, ours.selection) == (theirs.host_id, "gpu-1", theirs.selection)
    assert ours.redactions == {**theirs.redactions, "kernel parameter": 2}  # the collector counts the end of the line as well


def test_only_the_policy_is_read_unless_all_is_asked_for(run, host_root, document, tmp_path):
    run("--root", host_root, "-o", "sh.tar.gz")
    theirs = document(collected(CollectOptions(root=host_root, pages="none"), tmp_path / "py.tar.gz"))
    ours = document(str(tmp_path / "sh.tar.gz"))

    assert differences(theirs, ours) == {}
    assert gaps(ours) - gaps(theirs) == {("cut", "root/proc/7/numa_maps", CUT % (7, 7))}
    assert ours["processes"][0]["policy"] == "bind:0"
    assert [thread["policy"] for thread in ours["processes"][0]["threads"]] == ["bind:0", "interleave:0"]
    assert open_input(str(tmp_path / "sh.tar.gz")).tree.text("root/proc/7/numa_maps") == "5573e3e46000 bind:0"


def test_of_a_live_process_the_same_is_known(run, sleeper, document, tmp_path):
    run("--pid", str(sleeper.pid), "-o", "sh.tar.gz")
    theirs = document(collected(CollectOptions(pids=(sleeper.pid,), pages="none"), tmp_path / "py.tar.gz"))
    ours = document(str(tmp_path / "sh.tar.gz"))

    assert verify_bundle(str(tmp_path / "sh.tar.gz")).intact
    assert differences(theirs, ours) == {}
    assert {gap[:2] for gap in gaps(ours)} == {gap[:2] for gap in gaps(theirs)}


def test_the_second_reading_comes_at_least_a_second_after_the_first(run, sleeper, tmp_path):
    run("--pid", str(sleeper.pid), "-o", "sh.tar.gz")
    first, second = manifest_of(str(tmp_path / "sh.tar.gz")).readings

    tree = open_input(str(tmp_path / "sh.tar.gz")).tree
    assert first < second
    assert len(tree.glob("again/1/root/proc/*/task/*/stat")) == 4


def test_a_planted_secret_is_nowhere(run, host_root, temporary, tmp_path):
    run("--root", host_root, "--pages", "full", "-o", "sh.tar")

    assert b"hunter2" not in (tmp_path / "sh.tar").read_bytes()
    assert b"LOCAL_RANK=0" in (tmp_path / "sh.tar").read_bytes()


def test_processes_are_chosen_by_their_command_line_with_their_descendants(run, tmp_path):
    mark = "marked-%d" % os.getpid()
    code = "import subprocess; child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); child.wait()  # " + mark
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True)
    child = int(parent.stdout.readline())
    done = run("--match", mark + "$", "-o", "sh.tar")
    os.killpg(parent.pid, signal.SIGKILL)
    parent.communicate()

    chosen = {item["pid"]: item["why"] for item in manifest_of(str(tmp_path / "sh.tar")).selection}
    assert done.returncode == 0
    assert chosen == {parent.pid: "matches %s$" % mark, child: "descends from %d" % parent.pid}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--match", "nothing has such a name"], 4, "no process matches nothing has such a name"),
        (["--pid", "4194304"], 4, "no such process: 4194304"),
        (["--pid", "x"], 2, "not a number"),
        (["--match", "("], 2, "not an extended regular expression"),
        (["--host-only", "--all"], 2, "cannot be combined"),
        (["--log", "x"], 2, "no such option of this script"),
        (["--deadline", "0"], 2, "not a number of seconds above 0"),
        (["--host-only", "-o", "/nowhere/x.tar"], 4, "not a folder that can be written to"),
        (["--host-only", "-o", "x.zip"], 2, "a shell can write .tar and .tar.gz"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(run, arguments, code, words, tmp_path):
    done = run(*arguments)

    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr.splitlines()[0]
    assert sorted(os.listdir(tmp_path)) == ["temporary"]


def test_a_file_is_never_replaced(run, tmp_path):
    (tmp_path / "x.tar").write_text("mine")

    assert run("--host-only", "-o", "x.tar").returncode == 4
    assert (tmp_path / "x.tar").read_text() == "mine"


def test_the_version_is_told(run):
    assert run("--version").stdout == "numaaudit-collect %s\n" % numaaudit.__version__


def test_a_bundle_goes_to_standard_output(shell, script_file, host_root, temporary):
    argv = [str(shutil.which(shell[0])), *shell[1:], script_file, "--root", host_root, "-o", "-"]
    done = subprocess.run(argv, env={**os.environ, "TMPDIR": str(temporary)}, cwd=temporary, capture_output=True, check=True, timeout=120)

    assert verify_bundle("-", stdin=done.stdout).lines == ["intact (unsigned)"]
    assert done.stderr.splitlines()[0] == b"Selected:"
    assert done.stderr.splitlines()[-1] == b"standard output"
    assert os.listdir(temporary) == []


def test_help_has_every_option_and_the_exit_codes(run):
    done = run("--help")

    assert [option for option in ("--pid", "--match", "--host-only", "--pages", "--output", "130") if option not in done.stdout] == []
    assert done.returncode == 0
