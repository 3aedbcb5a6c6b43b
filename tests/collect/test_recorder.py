import hashlib

import pytest

from numaaudit.bundle.manifest import CommandRun, Entry
from numaaudit.bundle.tree import Tree
from numaaudit.collect.collector import Read
from numaaudit.collect.exec import Result
from numaaudit.collect.recorder import Recorder


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def recorder():
    return Recorder()


def test_a_file_has_an_entry_with_size_and_digest(recorder):
    recorder.add(Read("kernel", "proc/version", data=b"Linux\n", duration_ms=1.23456))

    assert recorder.entries() == (Entry("root/proc/version", "ok", 6, sha256(b"Linux\n"), "kernel", 1.235),)
    assert Tree(recorder.members).text("root/proc/version") == "Linux"


def test_a_link_has_its_target(recorder):
    recorder.add(Read("net", "sys/class/net/eth0", link="../../devices/eth0"))

    assert recorder.entries() == (Entry("root/sys/class/net/eth0", collector="net", link="../../devices/eth0"),)
    assert Tree(recorder.members).link("root/sys/class/net/eth0") == "../../devices/eth0"


def test_an_attempt_that_gave_nothing_is_an_entry_and_no_member(recorder):
    recorder.add(Read("pages", "proc/7/numa_maps", "refused", reason="not yours"))
    recorder.miss("root/proc/8", "timed-out", "no answer")

    assert recorder.entries() == (
        Entry("root/proc/7/numa_maps", "refused", collector="pages", reason="not yours"),
        Entry("root/proc/8", "timed-out", reason="no answer"),
    )
    assert recorder.members.top == {}


def test_the_first_of_a_path_counts(recorder):
    recorder.add(Read("a", "proc/version", data=b"1"))
    recorder.add(Read("b", "proc/version", data=b"22"))
    recorder.miss("root/proc/version", "timed-out", "late")

    assert [(entry.collector, entry.size) for entry in recorder.entries()] == [("a", 1)]


def test_the_threads_of_a_process_are_one_entry(recorder):
    recorder.add(Read("threads", "proc/7/task/9/comm", data=b"b\n", duration_ms=1.0))
    recorder.add(Read("threads", "proc/7/task/7/comm", data=b"aa\n", duration_ms=2.0))
    lines = "%s  root/proc/7/task/7/comm\n%s  root/proc/7/task/9/comm\n" % (sha256(b"aa\n"), sha256(b"b\n"))

    assert recorder.entries() == (Entry("root/proc/7/task", "ok", 5, sha256(lines.encode()), "threads", 3.0, files=2),)


def test_what_is_kept_is_redacted_and_counted(recorder):
    recorder.add(Read("command", "proc/7/environ", data=b"LOCAL_RANK=3\0API_TOKEN=hunter2\0"))

    assert Tree(recorder.members).get("root/proc/7/environ").data == b"LOCAL_RANK=3\0"
    assert sum(recorder.redactions.values()) == 1


def test_an_empty_answer_of_a_command_is_kept_and_empty_stderr_is_not(recorder):
    recorder.add_command(Result(("nvidia-smi", "-L"), exit_code=0, duration_ms=2.0), "nvidia_smi")

    assert recorder.commands == [CommandRun(("nvidia-smi", "-L"), "commands/nvidia-smi_-L.out", exit_code=0, duration_ms=2.0)]
    assert recorder.entries() == (Entry("commands/nvidia-smi_-L.out", "ok", 0, sha256(b""), "nvidia_smi"),)


def test_stderr_is_kept_apart_also_of_a_command_that_hung(recorder):
    recorder.add_command(Result(("lscpu",), "timed-out", stderr=b"oh no\n", reason="still running"), "tools")

    assert [entry.path for entry in recorder.entries()] == ["commands/lscpu.err"]
    assert recorder.commands[0].outcome == "timed-out"
