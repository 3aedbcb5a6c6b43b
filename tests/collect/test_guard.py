import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.collect.guard import Guard


def start(guard):
    """A command with a helper, in a session of its own."""
    command = ["sh", "-c", "sleep 100 & echo; wait"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, preexec_fn=guard.watch_me)  # noqa: PLW1509
    process.stdout.readline()
    return process


def members_of(session):
    """The PIDs of a process group that are alive (proc_pid_stat(5))."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == session and fields[0] != "Z":
            found.append(int(pid))
    return found


def until_gone(session):
    until = time.monotonic() + 30
    while members_of(session) and time.monotonic() < until:
        time.sleep(0.01)
    return members_of(session)


def test_what_was_watched_goes_on_where_the_guard_is_left():
    with Guard() as guard:
        process = start(guard)
    living = members_of(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    assert len(living) == 2


def test_an_exception_ends_it():
    with pytest.raises(KeyboardInterrupt), Guard() as guard:
        process = start(guard)
        raise KeyboardInterrupt
    process.communicate(timeout=30)

    assert until_gone(process.pid) == []


KILLED = """
import os, signal, subprocess
from numaaudit.collect.guard import Guard
with Guard() as guard:
    process = subprocess.Popen(["sh", "-c", "sleep 100 & wait"], start_new_session=True, preexec_fn=guard.watch_me)
    print(process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_death_of_the_process_ends_it():
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())

    assert until_gone(pid) == []


def test_no_process_and_no_descriptor_is_left():
    children = Path("/proc/self/task/%d/children" % os.getpid())
    before = (os.listdir("/proc/self/fd"), children.read_text())
    with Guard():
        pass

    assert (os.listdir("/proc/self/fd"), children.read_text()) == before
