import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.collect.guard import Guard


@pytest.fixture
def command():
    """A command with a helper, in a session of its own."""
    process = subprocess.Popen(["sh", "-c", "sleep 100 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True)
    process.stdout.readline()
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


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


def test_what_was_watched_goes_on_where_the_guard_is_left(command):
    with Guard() as guard:
        guard.watch(command.pid)

    assert len(members_of(command.pid)) == 2


def test_an_exception_ends_it(command):
    with pytest.raises(KeyboardInterrupt), Guard() as guard:
        guard.watch(command.pid)
        raise KeyboardInterrupt
    command.wait(30)

    assert until_gone(command.pid) == []


KILLED = """
import os, signal, sys
from numaaudit.collect.guard import Guard
with Guard() as guard:
    guard.watch(int(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_death_of_the_process_ends_it(command):
    subprocess.run([sys.executable, "-c", KILLED, str(command.pid)], check=False, timeout=60)
    command.wait(30)

    assert until_gone(command.pid) == []


def test_no_process_and_no_descriptor_is_left():
    children = Path("/proc/self/task/%d/children" % os.getpid())
    before = (os.listdir("/proc/self/fd"), children.read_text())
    with Guard():
        pass

    assert (os.listdir("/proc/self/fd"), children.read_text()) == before
