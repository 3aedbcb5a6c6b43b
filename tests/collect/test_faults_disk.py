"""No room for the bundle: it is elsewhere, whole, or nowhere; no part of it is left under its name."""

import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.storage import Members
from numaaudit.collect.runner import Collection
from numaaudit.collect.selection import Selection
from numaaudit.collect.writing import write
from numaaudit.core.errors import CollectError

CLONE_NEWNS = 0x20000  # linux/sched.h
MS_REC_AND_PRIVATE = 0x4000 | 0x40000  # linux/mount.h
SMALL = 64 * 1024

COLLECT = """
import os, sys
from numaaudit.collect.front import run
from numaaudit.collect.options import CollectOptions
from numaaudit.core.errors import CollectError
try:
    print(*run(CollectOptions(host_only=True, output=sys.argv[1]))[0], sep="\\n")
except CollectError as error:
    print(*os.listdir(os.path.dirname(sys.argv[1])))
    sys.exit("%s" % error)
"""


def large():
    members = Members()
    members.add_bytes("root/proc/7/numa_maps", os.urandom(2_000_000))
    return Collection(Manifest("0", "0", "gpu-7", "", "", "2026-11-29T10:15:00Z"), members, Selection({}))


def with_limit(limit, work):
    """The exit code of a child that runs ``work`` where no file may be larger (setrlimit(2); Python ignores SIGXFSZ)."""
    pid = os.fork()
    if pid == 0:
        code = 9
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("name", ["e.tar", "e.tar.gz", "e.tar.xz"])
def test_a_file_that_may_not_grow_leaves_nothing(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def work():
        with pytest.raises(CollectError, match="not written: File too large"):
            write(large(), str(tmp_path / name))
        return 0

    assert with_limit(SMALL, work) == 0
    assert [*tmp_path.iterdir(), *Path("/dev/shm").glob("*numaaudit-20261129T101500Z*")] == []


def mount_in_private(*points):
    """In a child: small file systems that only it sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC_AND_PRIVATE, None):
        return False
    return not any(libc.mount(b"none", os.fsencode(point), b"tmpfs", 0, b"size=64k") for point in points)


def can_mount():
    """Whether mounts of one's own are permitted: root outside of most containers."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if mount_in_private() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def collect_on_full_disks(target, points, temporary):
    command = [sys.executable, "-c", COLLECT, str(target)]
    environ = {**os.environ, "TMPDIR": str(temporary)}

    def prepare():
        if not mount_in_private(*points):
            os._exit(77)
        for point in points:
            Path(point, "full").write_bytes(b"x" * 60_000)

    return subprocess.run(command, env=environ, preexec_fn=prepare, capture_output=True, text=True, check=False, timeout=120)


if can_mount():

    def test_from_a_full_disk_the_bundle_is_saved_elsewhere(tmp_path, sound):
        small, other = tmp_path / "small", tmp_path / "other"
        small.mkdir()
        other.mkdir()
        done = collect_on_full_disks(small / "e.tar.gz", [small], other)

        [saved] = other.iterdir()
        assert (done.returncode, done.stdout) == (1, "full\n")
        assert done.stderr == "%s: not written: No space left on device; what was collected is in %s\n" % (small / "e.tar.gz", saved)
        sound(saved)

    def test_where_every_disk_is_full_nothing_is_left_and_it_says_so(tmp_path):
        small, other = tmp_path / "small", tmp_path / "other"
        small.mkdir()
        other.mkdir()
        done = collect_on_full_disks(small / "e.tar.gz", [small, other, "/dev/shm"], other)

        assert (done.returncode, done.stdout, done.stderr) == (
            1,
            "full\n",
            "%s: not written: No space left on device\n" % (small / "e.tar.gz"),
        )
