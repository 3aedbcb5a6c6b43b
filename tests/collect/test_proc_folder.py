import os

import pytest

from numaaudit.collect.collector import Read
from numaaudit.collect.proc_folder import ProcFolder, policy_of


def maps_of(make_root, text):
    with ProcFolder.open(make_root({"proc/7/numa_maps": text}), 7) as process:
        return process.policy("pages", "numa_maps")._replace(duration_ms=0.0)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("00400000 default file=/a\n", b"00400000 default\n"),
        ("7f0000000000 prefer (many):0-1,4 anon=1\n", b"7f0000000000 prefer (many):0-1,4\n"),
        ("7f0000000000 weighted interleave:0-3\n", b"7f0000000000 weighted interleave:0-3\n"),
        ("7f0000000000 bind=static|balancing:0,2 heap\n", b"7f0000000000 bind=static|balancing:0,2\n"),
        (
            "7f0000000000 interleave=relative:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28 anon=1\n",
            b"7f0000000000 interleave=relative:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28\n",
        ),
    ],
)
def test_of_a_mapping_address_and_policy_are_kept(make_root, line, kept):
    assert policy_of(line.encode()) == kept
    assert maps_of(make_root, line) == Read("pages", "proc/7/numa_maps", data=kept)


def test_without_mappings_there_is_no_policy(make_root):
    assert maps_of(make_root, "") == Read("pages", "proc/7/numa_maps", data=b"")


def test_an_unknown_policy_is_not_guessed(make_root):
    found = maps_of(make_root, "7f0000000000 novel:0 anon=1\n")

    assert (found.outcome, found.data, found.reason) == ("cut", None, "no policy that is known in its first bytes")


def test_threads_come_in_order_of_number_and_what_is_none_is_left_out(make_root):
    root = make_root({"proc/7/task/%s/comm" % tid: tid for tid in ("10", "9", "7", "x")})

    with ProcFolder.open(root, 7) as process:
        assert process.thread_ids() == ["7", "9", "10"]
        assert process.file("threads", "task/9/comm").data == b"9"


def test_a_process_without_threads_or_stat_is_no_error(make_root):
    with ProcFolder.open(make_root({"proc/7/comm": ""}), 7) as process:
        assert (process.thread_ids(), process.start_ticks()) == ([], None)


def test_targets_are_those_of_links_only(make_root):
    with ProcFolder.open(make_root({"proc/7/fd/10": "@/dev/kfd", "proc/7/fd/9": "@pipe:[1]", "proc/7/fd/x": ""}), 7) as process:
        assert process.targets("fd") == {"9": "pipe:[1]", "10": "/dev/kfd"}


def test_a_folder_stays_with_its_process(make_root):
    root = make_root({"proc/7/comm": "first"})
    with ProcFolder.open(root, 7) as process:
        os.rename(root + "/proc/7", root + "/proc/ended")
        make_root({"proc/7/comm": "second"})

        assert process.file("threads", "comm").data == b"first"


def test_no_descriptor_is_left_open(make_root):
    root = make_root({"proc/7/task/7/comm": "x", "proc/7/fd/1": "@x"})
    before = os.listdir("/proc/self/fd")
    with ProcFolder.open(root, 7) as process:
        process.thread_ids()
        process.targets("fd")

    assert os.listdir("/proc/self/fd") == before
