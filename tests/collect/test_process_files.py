import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.collect.collector import Collector, Read, collectors
from numaaudit.collect.devices import is_accelerator_or_rdma, is_drm_client
from numaaudit.collect.process_files import ProcessReader, second_reading
from numaaudit.collect.reader import Batch, Stopped, Trying, read_each

STATUS = "Name:\trank\nRssAnon:\t %d kB\nRssFile:\t 0 kB\nRssShmem:\t 0 kB\nHugetlbPages:\t %d kB\n"
STAT = "7 (a rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 %d 0 0 0\n"
MAPS = "5573e3e46000 bind:0 file=/usr/bin/python3.11 N0=2 kernelpagesize_kB=4\n7ffd00000000 default stack anon=3 N1=3 kernelpagesize_kB=4\n"
PAGES = {
    "status": Collector(files=("status", "stat"), scope="process"),
    "pages": Collector(files=("numa_maps",), scope="process", locks_memory=True, walks_pages=True),
}


def reads(reader, pid):
    return [item for item in reader(pid) if isinstance(item, Read)]


def by_path(found):
    return {read.path: read for read in found}


def of_size(make_root, resident_kb, huge_kb=0, maps=MAPS):
    return make_root({"proc/7/status": STATUS % (resident_kb, huge_kb), "proc/7/stat": STAT % 100, "proc/7/numa_maps": maps})


@pytest.mark.parametrize(("resident_kb", "huge_kb"), [(0, 0), (1 << 20, 0), (1, (1 << 20) - 1)])
def test_numa_maps_up_to_one_gib_is_read_whole(make_root, resident_kb, huge_kb):
    found = by_path(reads(ProcessReader(of_size(make_root, resident_kb, huge_kb), PAGES, "sample"), 7))

    assert (found["proc/7/numa_maps"].outcome, found["proc/7/numa_maps"].data) == ("ok", MAPS.encode())


@pytest.mark.parametrize(("resident_kb", "huge_kb"), [((1 << 20) + 1, 0), (1, 1 << 20)])
def test_numa_maps_above_one_gib_is_cut_to_the_policy_and_says_how_to_read_it(make_root, resident_kb, huge_kb):
    found = by_path(reads(ProcessReader(of_size(make_root, resident_kb, huge_kb), PAGES, "sample"), 7))

    kept = found["proc/7/numa_maps"]
    assert (kept.outcome, kept.data) == ("cut", b"5573e3e46000 bind:0\n")
    assert kept.reason == "more than 1 GiB is resident, so only the policy was read; run: numaaudit collect --pid 7 --pages full"


def test_pages_full_reads_numa_maps_of_any_size(make_root):
    found = by_path(reads(ProcessReader(of_size(make_root, 1 << 30), PAGES, "full"), 7))

    assert found["proc/7/numa_maps"].data == MAPS.encode()


def test_pages_none_reads_only_the_policy(make_root):
    found = by_path(reads(ProcessReader(of_size(make_root, 1), PAGES, "none"), 7))

    assert (found["proc/7/numa_maps"].outcome, found["proc/7/numa_maps"].data) == ("cut", b"5573e3e46000 bind:0\n")


def test_without_resident_sizes_the_guard_holds(make_root):
    root = make_root({"proc/7/status": "Name:\told kernel\nVmRSS:\t12 kB\n", "proc/7/stat": STAT % 100, "proc/7/numa_maps": MAPS})

    assert by_path(reads(ProcessReader(root, PAGES, "sample"), 7))["proc/7/numa_maps"].outcome == "cut"


def test_a_live_process_gives_all_that_is_declared(sleeper):
    found = by_path(reads(ProcessReader("/", collectors(), "sample"), sleeper.pid))

    where = "proc/%d/" % sleeper.pid
    own = {path[len(where) :] for path in found if "/task/" not in path}
    threads = os.listdir("/proc/%d/task" % sleeper.pid)
    assert own == {"status", "stat", "cgroup", "limits", "cmdline", "environ", "numa_maps"}
    assert {path[len(where) :] for path in found if "/task/" in path} == {
        "task/%s/%s" % (tid, name) for tid in threads for name in ("comm", "status", "stat")
    }
    assert {read.outcome for read in found.values()} == {"ok"}


def test_of_the_threads_policies_those_that_differ_from_the_process_are_kept(make_root):
    threads = {"proc/7/task/7/numa_maps": MAPS, "proc/7/task/8/numa_maps": MAPS.replace("bind:0", "bind:1")}
    root = make_root({"proc/7/status": STATUS % (1, 0), "proc/7/stat": STAT % 100, "proc/7/numa_maps": MAPS, **threads})
    policies = Collector(files=("numa_maps",), scope="thread", locks_memory=True, walks_pages=True)

    found = reads(ProcessReader(root, {**PAGES, "threads": policies}, "sample"), 7)

    assert [(read.path, read.data) for read in found if "/task/" in read.path] == [("proc/7/task/8/numa_maps", b"5573e3e46000 bind:1\n")]


def test_what_may_hang_comes_after_all_that_may_not(sleeper):
    items = list(ProcessReader("/", collectors(), "sample")(sleeper.pid))

    first = next(index for index, item in enumerate(items) if isinstance(item, Trying))
    may_hang = ("/cmdline", "/environ", "/numa_maps")
    assert not any(item.path.endswith(may_hang) for item in items[:first])
    assert all(item.path.endswith(may_hang) for item in items[first:] if isinstance(item, Read))


def test_a_pid_that_does_not_exist_is_gone(make_root):
    root = make_root({"proc/7/stat": STAT % 100})

    assert reads(ProcessReader(root, PAGES, "sample"), 8) == [Read("", "proc/8", "gone", reason="no such process")]


def test_a_process_that_dies_half_way_keeps_what_was_read(sleeper):
    reader = ProcessReader("/", collectors(), "sample")(sleeper.pid)
    found = [next(reader) for _ in range(3)]
    sleeper.kill()
    sleeper.wait()
    rest = [item for item in reader if isinstance(item, Read)]

    assert [read.outcome for read in found] == ["ok"] * 3
    assert rest[-1] == Read("", "proc/%d" % sleeper.pid, "gone", reason="the process ended while it was read")


def test_without_permission_numa_maps_and_environ_are_refused_and_the_rest_is_read(sleeper):
    """As another user than the process's: this needs root, which may become nobody."""
    reader = ProcessReader("/", collectors(), "sample")

    def as_nobody(pid):
        if os.geteuid() == 0:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        yield from (item if isinstance(item, Trying) else tuple(item) for item in reader(pid))

    pid = sleeper.pid if os.geteuid() == 0 else 1
    events = list(read_each(as_nobody, [pid], 10, time.monotonic() + 10, lambda: False))
    found = by_path(Read(*result) for event in events for result in event.results)

    refused = [path.rpartition("/")[2] for path, read in found.items() if read.outcome == "refused"]
    assert refused == ["fd", "environ", "numa_maps"]
    expected = "needs the process's own user, or CAP_SYS_PTRACE; run: sudo numaaudit collect --pid %d" % pid
    assert found["proc/%d/numa_maps" % pid].reason == expected
    assert found["proc/%d/task/%d/status" % (pid, pid)].outcome == "ok"


def test_of_the_open_files_only_devices_are_kept(make_root):
    root = make_root(
        {
            "proc/7/stat": STAT % 100,
            "proc/7/fd/0": "@/home/someone/secret.txt",
            "proc/7/fd/3": "@/dev/nvidia0",
            "proc/7/fd/12": "@/dev/infiniband/uverbs0",
            "proc/7/fd/13": "@/dev/dri/renderD128",
            "proc/7/fdinfo/3": "pos:\t0\n",
            "proc/7/fdinfo/13": "drm-driver:\tamdgpu\ndrm-pdev:\t0000:c1:00.0\n",
        }
    )
    units = {
        "drm": Collector(links=("fd/*",), files=("fdinfo/*",), scope="process", keep_target=is_drm_client),
        "open": Collector(links=("fd/*",), scope="process", keep_target=is_accelerator_or_rdma),
    }
    found = by_path(reads(ProcessReader(root, units, "sample"), 7))

    assert {path: read.link or read.data for path, read in found.items()} == {
        "proc/7/fd/3": "/dev/nvidia0",
        "proc/7/fd/12": "/dev/infiniband/uverbs0",
        "proc/7/fd/13": "/dev/dri/renderD128",
        "proc/7/fdinfo/13": b"drm-driver:\tamdgpu\ndrm-pdev:\t0000:c1:00.0\n",
    }


def test_the_second_reading_has_the_times_of_process_and_threads(sleeper):
    where = Path("/proc/%d" % sleeper.pid)
    start = int((where / "stat").read_text().rpartition(")")[2].split()[19])
    threads = sorted(int(tid.name) for tid in (where / "task").iterdir())

    found = [read.path for read in second_reading("/", {sleeper.pid: start}, sleeper.pid)]

    assert found == ["proc/%d/stat" % sleeper.pid] + ["proc/%d/task/%d/stat" % (sleeper.pid, tid) for tid in threads]


def test_the_second_reading_of_another_process_with_the_same_pid_is_none(make_root):
    root = make_root({"proc/7/stat": STAT % 200})

    assert list(second_reading(root, {7: 100}, 7)) == [Read("", "proc/7", "gone", reason="the PID is another process's by now")]


def test_a_process_whose_command_line_hangs_still_gives_its_masks(make_root):
    """A FIFO opened for reading would block a plain reader; here a work that sleeps stands for the kernel."""
    reader = ProcessReader(of_size(make_root, 1), PAGES, "sample")

    def hanging(pid):
        for item in reader(pid):
            yield item
            if isinstance(item, Trying):
                time.sleep(60)

    events = list(read_each(hanging, [7], 1.0, time.monotonic() + 20, lambda: False))

    assert [Read(*result).path for event in events if isinstance(event, Batch) for result in event.results] == [
        "proc/7/status",
        "proc/7/stat",
    ]
    assert events[-1] == Stopped(7, "timed-out", "proc/7/numa_maps", "no answer")
    assert reader.after(7, "proc/7/numa_maps") == []


def test_a_fifo_in_the_place_of_a_file_is_not_waited_for(make_root):
    root = make_root({"proc/7/stat": STAT % 100, "proc/7/numa_maps": MAPS})
    os.mkfifo(root + "/proc/7/status")

    found = by_path(reads(ProcessReader(root, PAGES, "sample"), 7))

    assert (found["proc/7/status"].outcome, found["proc/7/status"].reason) == ("absent", "not a regular file")


def test_a_zombie_has_status_but_no_memory():
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    while Path("/proc/%d/stat" % process.pid).read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    found = by_path(reads(ProcessReader("/", collectors(), "sample"), process.pid))
    process.wait()

    assert found["proc/%d/status" % process.pid].outcome == "ok"
    assert found["proc/%d/cmdline" % process.pid].data == b""
