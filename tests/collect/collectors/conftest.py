"""What one collector keeps of an invented root, and what a whole collection keeps of a real process."""

import os
import subprocess
import sys

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.collect.collector import Read
from numaaudit.collect.host_files import HostReader
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect


@pytest.fixture
def kept(make_root):
    """Path to text or link of what a collector of the host keeps of a root."""

    def keep(collector, files):
        items = [item for item in HostReader(make_root(files), {"it": collector})("it") if isinstance(item, Read)]
        return {item.path: item.link or (item.data or b"").decode() for item in items if item.outcome == "ok"}

    return keep


@pytest.fixture(scope="session")
def live():
    """Text of each file of a real Python process with two threads, by path below its /proc/PID."""
    code = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); print(flush=True); time.sleep(60)"
    environment = {**os.environ, "LOCAL_RANK": "3", "API_TOKEN": "planted"}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        process.stdout.readline()
        collection = collect(CollectOptions(pids=(process.pid,)))
        process.kill()
    tree, folder = collection.tree(), f"root/proc/{process.pid}"
    paths = tree.glob(folder + "/*") + tree.glob(folder + "/task/*/*")
    found = {path[len(folder) + 1 :]: tree.get(path) for path in paths}
    return process.pid, {path: file.text for path, file in found.items() if not isinstance(file, Gap)}
