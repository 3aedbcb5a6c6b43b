import subprocess
import sys

import pytest

from numaaudit.collect.collector import collectors, purpose
from numaaudit.collect.dry_run import dry_run
from numaaudit.collect.front import run
from numaaudit.collect.options import CollectOptions
from numaaudit.core.errors import NothingSelectedError, UsageError

SYSTEM = "/usr/bin:/bin"
STAT = "7 (rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"


def never():
    return False


@pytest.fixture
def rank(make_root):
    """A root with one process that holds a GPU, and a file nobody may be asked for."""
    return make_root(
        {
            "proc/7/stat": STAT,
            "proc/7/statm": "900 1 1 1 0 1 0\n",
            "proc/7/cgroup": "0::/job\n",
            "proc/7/fd/3": "@/dev/nvidia0",
            "proc/7/environ": "LOCAL_RANK=0\0",
            "proc/7/task/7/comm": "rank\n",
            "proc/7/task/9/comm": "rank\n",
            "sys/devices/system/node/node0/cpulist": "0-31\n",
            "sys/devices/system/node/node1/cpulist": "32-63\n",
        }
    )


def test_it_says_which_processes_and_why(rank):
    lines = dry_run(CollectOptions(root=rank), never, SYSTEM)

    start = lines.index("Processes: 1")
    assert lines[start + 1] == "      7  holds /dev/nvidia0"


def test_each_pattern_has_the_number_of_files_of_that_name(rank):
    lines = dry_run(CollectOptions(root=rank), never, SYSTEM)

    assert "           2  /sys/devices/system/node/node[0-9]*/{cpulist,cpumap,distance," in lines
    assert "           1  /proc/PID/environ" in lines
    assert "           2  /proc/PID/task/TID/comm" in lines
    assert "   none here  /proc/PID/numa_maps" in lines


def test_every_collector_is_named_with_its_reason(rank):
    lines = dry_run(CollectOptions(root=rank), never, SYSTEM)
    text = " ".join(" ".join(lines).split())

    assert [name for name in collectors() if "%s: %s" % (name, " ".join(purpose(name).split())) not in text] == []
    assert [name for name in collectors() if not purpose(name)] == []


def test_commands_have_the_path_they_would_be_run_by(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir(mode=0o755)
    (tools / "lscpu").write_text("#!/bin/sh\ntouch %s/ran\n" % tmp_path)
    (tools / "lscpu").chmod(0o755)
    lines = dry_run(CollectOptions(host_only=True), never, str(tools))
    wide = " ".join(" ".join(lines).split())

    assert "lscpu: %s/lscpu" % tools in wide
    assert "numactl --hardware: not in PATH" in wide
    assert not (tmp_path / "ran").exists()


def test_with_another_root_no_command_is_run(rank):
    assert "Commands: none is run, as the root is not that of this host." in dry_run(CollectOptions(root=rank), never, SYSTEM)


OPENED = """
import sys
from numaaudit.collect.dry_run import dry_run
from numaaudit.collect.options import CollectOptions
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
dry_run(CollectOptions(root=sys.argv[1]), lambda: False, "/usr/bin:/bin")
print(*sorted({name.rpartition("/")[2] for name in opened if ".py" not in name}))
"""


def test_evidence_is_not_opened(rank):
    """A hook sees the names of all that the interpreter opens (sys.addaudithook), except in the child that chooses processes."""
    done = subprocess.run([sys.executable, "-c", OPENED, rank], capture_output=True, text=True, check=True, timeout=60)

    assert set(done.stdout.split()) & {"environ", "comm", "cpulist", "numa_maps", "status", "mounts", "cmdline"} == set()
    assert "node0" in done.stdout.split()


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines, code = run(CollectOptions(host_only=True, dry_run=True, output=str(tmp_path / "none" / "e.tar.gz")))

    assert (code, lines[2:4], list(tmp_path.iterdir())) == (0, ["", "Processes: 0"], [])


def test_nothing_selected_is_the_error_that_collect_gives(make_root):
    with pytest.raises(NothingSelectedError, match="no process holds an accelerator device"):
        dry_run(CollectOptions(root=make_root({"proc/7/stat": STAT})), never, SYSTEM)


def test_logs_are_named_and_those_that_are_not_there(make_root, tmp_path):
    (tmp_path / "run.log").write_text("x\n")
    lines = dry_run(CollectOptions(host_only=True, logs=(str(tmp_path / "run.log"), "/gone.log")), never, SYSTEM)

    text = "".join(line.strip() for line in lines[lines.index("Logs:") :])
    assert str(tmp_path / "run.log") in text
    assert "/gone.log: not there" in text


def test_it_is_as_wide_as_a_terminal(rank):
    assert [line for line in dry_run(CollectOptions(root=rank), never, SYSTEM) if len(line) > 80] == []


def test_the_command_line_knows_it(tmp_path):
    command = [sys.executable, "-m", "numaaudit", "collect", "--host-only", "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])
    assert done.stdout.startswith("No evidence was read, no command was run, nothing was written")


def test_pseudonyms_are_told(rank):
    line = "Names of hosts, accounts, pods, containers and paths would be replaced by"

    assert line in dry_run(CollectOptions(root=rank, pseudonyms="key"), never, SYSTEM)
    assert line not in dry_run(CollectOptions(root=rank), never, SYSTEM)


def test_a_window_is_told_with_what_it_reads_again(rank):
    lines = dry_run(CollectOptions(root=rank, duration="2m", every="500ms"), never, SYSTEM)
    ends, ticks = lines.index("Read again at both ends of a window of 120 s:"), lines.index("And every 0.5 s in between:")

    assert "    /proc/interrupts" in lines[ends:ticks]
    assert "    cpu.stat of each cgroup" in lines[ticks:]
    assert "    /proc/interrupts" not in lines[ticks:]
    assert [line for line in dry_run(CollectOptions(root=rank), never, SYSTEM) if line.startswith("Read again")] == []


def test_a_window_that_makes_no_sense_is_refused(rank):
    with pytest.raises(UsageError, match="--duration"):
        dry_run(CollectOptions(root=rank, duration="soon"), never, SYSTEM)


def test_a_pod_is_looked_up_by_name_and_the_list_it_is_in_is_named(make_root, tmp_path):
    uid = "0a1b2c3d-0000-4000-8000-0123456789ab"
    (tmp_path / "pods.json").write_text('{"items": [{"metadata": {"name": "r", "namespace": "s", "uid": "%s"}, "spec": {}}]}' % uid)
    stat = "7 (python) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"
    root = make_root({"proc/7/stat": stat, "proc/7/statm": "9 9 9\n", "proc/7/cgroup": "0::/kubepods/pod%s/x\n" % uid})

    lines = dry_run(CollectOptions(root=root, pod="s/r", kubectl_pods=str(tmp_path / "pods.json")), lambda: False, "")

    assert "Names of pods were looked up in /var/log/pods and /var/lib/kubelet/pods/*/etc-hosts." in lines
    assert "      7  is in pod s/r" in lines
    assert lines[lines.index("List of pods, of which those of the processes are kept:") + 1].strip().startswith("/")
