"""Which processes of a collection are sampled, and what the bundle has of it."""

import json
import subprocess
import sys

import pytest

from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect

LARGE = """
import mmap, time
area = mmap.mmap(-1, 1100 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for offset in range(0, 1100 << 20, mmap.PAGESIZE):
    area[offset] = 1
print(flush=True); time.sleep(60)
"""


@pytest.fixture
def large():
    """A process above the guard."""
    with subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield process
        process.kill()


def test_a_process_above_the_guard_is_sampled_and_a_small_one_is_not(large, sleeper):
    collection = collect(CollectOptions(pids=(large.pid, sleeper.pid)), path="")
    entries = {entry.path: entry for entry in collection.manifest.entries if entry.path.startswith("samples/pages-")}

    assert list(entries) == ["samples/pages-%d.json" % large.pid]
    sample = json.loads(collection.tree().get(*entries).data)
    assert (entries["samples/pages-%d.json" % large.pid].outcome, sample["pid"]) == ("ok", large.pid)
    assert sample["estimates"]["anon"]["resident_bytes"] == pytest.approx(sample["resident_bytes"]["RssAnon"], rel=0.05)
    gap = collection.manifest.gaps()["root/proc/%d/numa_maps" % large.pid]
    pages = sum(kind["present"] for name, kind in sample["estimates"].items() if name != "file")
    command = "numaaudit collect --pid %d --pages full (holds the process up by about 9 ms per GiB)" % large.pid
    assert (gap.kind, gap.reason) == ("cut", "sampled %d random pages; all of them: %s" % (pages, command))


@pytest.mark.parametrize("pages", ["full", "none"])
def test_without_sampling_there_is_no_sample(make_root, pages):
    manifest = collect(CollectOptions(pids=(7,), pages=pages, root=make_root(ABOVE_THE_GUARD)), path="").manifest

    assert [entry.path for entry in manifest.entries if entry.path.startswith("samples/pages-")] == []


ABOVE_THE_GUARD = {
    "proc/7/status": "Name:\trank\nPid:\t7\nRssAnon:\t 2000000 kB\nRssFile:\t 0 kB\nRssShmem:\t 0 kB\n",
    "proc/7/stat": "7 (a rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n",
    "proc/7/cmdline": "rank\0",
    "proc/7/numa_maps": "5573e3e46000 bind:0 anon=2 N0=2 kernelpagesize_kB=4\n",
}


def test_the_kernel_is_not_asked_about_a_copy_of_another_hosts_root(make_root):
    manifest = collect(CollectOptions(pids=(7,), root=make_root(ABOVE_THE_GUARD)), path="").manifest

    gap = manifest.gaps()["samples/pages-7.json"]
    assert (gap.kind, gap.reason) == ("not-run", "the root is not that of this host")
    assert manifest.gaps()["root/proc/7/numa_maps"].reason.startswith("more than 1 GiB is resident, so only the policy was read; run: ")
