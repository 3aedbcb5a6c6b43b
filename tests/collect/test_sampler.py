"""A random sample of a process's pages: of an invented process, and of real ones against their numa_maps."""

import errno
import hashlib
import json
import os
import random
import subprocess
import sys
import time

import pytest

from numaaudit.collect.collector import Read
from numaaudit.collect.reader import Batch, Trying, read_each
from numaaudit.collect.sampler import ENOUGH, ENOUGH_OF_KIND, FIRST_PASS, FIRST_PASS_LARGE, MOST, ROUND, PageSampler, why_not
from numaaudit.parse.parsers.numa_maps import parse as parse_numa_maps

PAGE = os.sysconf("SC_PAGE_SIZE")
STATUS = "Name:\trank\nRssAnon:\t 1024 kB\nRssFile:\t 0 kB\nRssShmem:\t 512 kB\nHugetlbPages:\t 0 kB\n"
STAT = "7 (a rank) S 1 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n"
BIG, SMALL, PINNED = 0x7F0000000000, 0x10000000, 0x7E0000000000


def maps(*areas):
    return "".join(f"{start:x}-{start + pages * PAGE:x} {access} 00000000 00:00 0 {name}\n" for start, pages, access, name in areas)


THREE = maps((BIG, 1 << 20, "rw-p", ""), (SMALL, 64, "rw-p", "[heap]"), (PINNED, 1 << 14, "rw-s", "/dev/zero (deleted)"))


@pytest.fixture
def sample(make_root):
    """Sample an invented process with these mappings; ``answer`` gives the status of the page at an address."""

    def make(answer, text=THREE):
        root = make_root({"proc/7/status": STATUS, "proc/7/stat": STAT, "proc/7/maps": text})
        _, read = PageSampler(root, "b007", lambda pid, addresses: [answer(address) for address in addresses])(7)
        return read

    return make


def document(read):
    return json.loads(read.data)


def only(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def test_counts_and_shares_are_kept_by_kind_and_numa_node(sample):
    def answer(address):
        if address >= BIG:
            return 1
        return 0 if address >= PINNED else -errno.ENOENT

    found = document(sample(answer))

    assert {row["kind"]: row["mappings"] for row in found["strata"] if row["present"]} == {"anon": 1, "pinned": 1}
    assert {kind: each["shares"] for kind, each in found["estimates"].items() if each["present"]} == {
        "anon": {"1": [1.0, pytest.approx(0.998, abs=0.004), 1.0]},
        "pinned": {"0": [1.0, pytest.approx(0.998, abs=0.004), 1.0]},
    }
    assert found["estimates"]["anon"]["resident_bytes"] == PAGE << 20
    assert {name: found[name] for name in ("format", "pid", "start_ticks", "page_bytes", "seed")} == {
        "format": "numaaudit.pages/1",
        "pid": 7,
        "start_ticks": 100,
        "page_bytes": PAGE,
        "seed": hashlib.sha256(b"b007 7 100").hexdigest()[:16],
    }
    assert found["resident_bytes"] == {"RssAnon": 1 << 20, "RssShmem": 1 << 19, "HugetlbPages": 0}


def test_every_answer_is_counted_once(sample):
    answers = random.Random(1)
    found = document(sample(lambda address: answers.choice([0, 1, -errno.ENOENT, -errno.EFAULT])))

    for row in found["strata"]:
        assert row["asked"] == row["present"] + row["absent"] + row["unknown"]
        assert row["present"] == sum(row["present_by_node"].values())
    assert all(row["unknown"] and row["absent"] for row in found["strata"])


def test_the_same_process_gives_the_same_pages(sample):
    asked = []
    sample(lambda address: asked.append(address) or 0)
    first, asked = asked, []
    sample(lambda address: asked.append(address) or 0)

    assert asked == first
    assert len(set(first)) > ENOUGH / 2


def test_only_pages_of_the_mappings_are_asked_for(sample):
    asked = []
    sample(lambda address: asked.append(address) or 0)
    areas = [(BIG, 1 << 20), (SMALL, 64), (PINNED, 1 << 14)]

    assert all(any(start <= address < start + pages * PAGE for start, pages in areas) for address in asked)
    assert all(address % PAGE == 0 for address in asked)


def test_it_ends_once_enough_is_present(sample):
    found = document(sample(lambda address: 0))

    assert ENOUGH <= sum(row["present"] for row in found["strata"]) <= ENOUGH + ROUND + 10


def test_it_ends_at_the_most_where_little_is_present(sample):
    found = document(sample(lambda address: 0 if address % (64 * PAGE) == 0 else -errno.ENOENT))

    assert MOST - ROUND <= sum(row["asked"] for row in found["strata"]) <= MOST


def test_where_nothing_is_present_the_first_pass_is_all(sample):
    found = document(sample(lambda address: -errno.ENOENT))

    assert sorted(row["asked"] for row in found["strata"]) == [FIRST_PASS, FIRST_PASS, FIRST_PASS_LARGE]
    assert found["estimates"]["anon"] == {"present": 0, "resident_bytes": 0, "shares": {}}


def test_a_small_kind_gets_enough_pages_to_be_judged_by_itself(sample):
    found = document(sample(lambda address: 0))

    assert only(found["strata"], "pinned")[0]["present"] >= ENOUGH_OF_KIND


def test_a_process_without_such_mappings_gives_an_empty_sample(sample):
    found = document(sample(lambda address: 0, maps((BIG, 16, "---p", ""))))

    assert (found["strata"], found["estimates"]) == ([], {})


@pytest.mark.parametrize(
    ("error", "outcome", "start"),
    [
        (errno.EPERM, "refused", "move_pages(2) is refused: it needs the process's own user, or CAP_SYS_PTRACE"),
        (errno.ENOSYS, "absent", "Function not implemented"),
        (errno.ESRCH, "gone", "No such process"),
    ],
)
def test_a_kernel_that_does_not_answer_is_a_gap(sample, error, outcome, start):
    def answer(address):
        raise OSError(error, os.strerror(error))

    read = sample(answer)

    assert (read.path, read.outcome, read.data) == ("samples/pages-7.json", outcome, None)
    assert read.reason.startswith(start)


def test_a_process_that_is_not_there_is_gone(make_root):
    assert list(PageSampler(make_root({"proc/7/stat": STAT}), "b007")(8)) == [
        Trying("samples/pages-8.json"),
        Read("page_sample", "samples/pages-8.json", "gone", reason="the process ended before its pages were sampled"),
    ]


def test_no_name_of_a_file_is_kept(sample):
    named = maps((BIG, 1 << 14, "rw-s", "/dev/shm/project-secret"), (SMALL, 64, "rw-p", "/home/secret/lib.so"))

    assert b"secret" not in sample(lambda address: 0, named).data


def test_the_kernel_is_asked_only_about_processes_of_its_own_proc(tmp_path):
    assert why_not("/") == ""
    assert why_not(str(tmp_path)) == "the root is not that of this host"


# -- real processes

HOLD = """
import mmap, sys, time
def hold(mib, flags, every):
    area = mmap.mmap(-1, mib << 20, flags=flags | mmap.MAP_ANONYMOUS)
    for offset in range(0, mib << 20, every * mmap.PAGESIZE):
        area[offset] = 1
    return area
held = [%s]
print(flush=True); time.sleep(60)
"""
PRIVATE, SHARED = "mmap.MAP_PRIVATE", "mmap.MAP_SHARED"


@pytest.fixture
def holder():
    """A process that holds (MiB, flags, one page of how many is touched)."""
    processes = []

    def start(*areas):
        held = ", ".join("hold(%d, %s, %d)" % area for area in areas)
        process = subprocess.Popen([sys.executable, "-c", HOLD % held], stdout=subprocess.PIPE, text=True)
        processes.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def kinds_by_numa_maps(pid):
    with open("/proc/%d/numa_maps" % pid, encoding="utf-8") as file:
        found = parse_numa_maps(file.read())
    return {"anon": found.bytes_by_node("anon"), "pinned": found.bytes_by_node("shm"), "hugetlb": found.bytes_by_node("hugetlb")}


def sampled(pid):
    _, read = PageSampler("/", "b007")(pid)
    return document(read)


@pytest.mark.parametrize(
    "areas",
    [((96, PRIVATE, 1),), ((64, PRIVATE, 1), (32, SHARED, 1)), ((1024, PRIVATE, 16), (64, PRIVATE, 1), (256, SHARED, 4))],
    ids=["full", "with pinned", "sparse"],
)
def test_a_real_process_agrees_with_its_numa_maps(holder, areas):
    pid = holder(*areas).pid
    sample, truth = sampled(pid), kinds_by_numa_maps(pid)

    for kind in {"anon", "pinned"} if len(areas) > 1 else {"anon"}:
        estimate, total = sample["estimates"][kind], sum(truth[kind].values())
        assert estimate["present"] >= 400
        assert estimate["resident_bytes"] == pytest.approx(total, rel=0.1)
        for number, (_, low, high) in estimate["shares"].items():
            assert low - 0.0001 <= truth[kind].get(int(number), 0) / total <= high + 0.0001


def test_transparent_huge_pages_count_by_their_size(holder):
    """Where the kernel gives none, they are small pages and count as well."""
    code = "hold(64, mmap.MAP_PRIVATE, 16)"
    script = HOLD.replace("    for offset", "    area.madvise(mmap.MADV_HUGEPAGE)\n    for offset") % code
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        sample, truth = sampled(process.pid), kinds_by_numa_maps(process.pid)
        process.kill()

    assert sample["estimates"]["anon"]["resident_bytes"] == pytest.approx(sum(truth["anon"].values()), rel=0.1)


def test_a_sample_is_made_in_a_child_and_does_not_stop_the_process(holder):
    process = holder((64, PRIVATE, 1))
    events = list(read_each(PageSampler("/", "b007"), [process.pid], 10, time.monotonic() + 10, lambda: False))

    assert [type(event) for event in events] == [Batch]
    assert Read(*events[0].results[0]).outcome == "ok"
    assert process.poll() is None
