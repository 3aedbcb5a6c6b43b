"""Whose each status, mask and numa_maps is, by path or in pasted text."""

from numaaudit.model.pick import Conflict
from numaaudit.model.sections.tasks import Tasks, task_of

MAPS = "7f0000000000 bind:1 anon=3 N1=3 kernelpagesize_kB=4\n"
STATUS = "Name:\tp\nUmask:\t0022\nTgid:\t7\nPid:\t{}\nThreads:\t2\nCpus_allowed_list:\t{}\n"


def tasks(build, text):
    return build({"pasted/paste.txt": text} if isinstance(text, str) else text).section(Tasks)


def masks(found):
    return {pid: str(each.record.allowed_cpus) for pid, each in found.mains.items()}


def test_a_path_tells_process_and_thread():
    paths = ("root/proc/7/status", "root/proc/7/task/8/stat", "again/1/root/proc/7/numa_maps", "pasted/paste.txt")

    assert [task_of(path) for path in paths] == [(7, None), (7, 8), (7, None), (None, None)]


def test_files_are_a_processs_or_a_threads(build):
    found = tasks(build, {"root/proc/7/status": STATUS.format(7, "0"), "root/proc/7/task/8/status": STATUS.format(8, "1")})

    assert (masks(found), list(found.threads), list(found.threads[7]), found.pasted) == ({7: "0"}, [7], [8], frozenset())


def test_a_pasted_status_tells_its_own_pid(build):
    found = tasks(build, STATUS.format(7, "0-1") + "\n" + STATUS.format(8, "1"))

    assert (masks(found), {pid: sorted(tids) for pid, tids in found.threads.items()}) == ({7: "0-1"}, {7: [7, 8]})
    assert found.pasted == {7}


def test_lines_of_grep_tell_the_pid_in_front(build):
    text = "/proc/7/status:Cpus_allowed_list:\t0-1\n/proc/9/status:Cpus_allowed_list:\t2\n"

    assert masks(tasks(build, text)) == {7: "0-1", 9: "2"}


def test_threads_alone_tell_that_their_process_is_there(build):
    found = tasks(build, "/proc/7/task/8/status:Cpus_allowed_list:\t2\n")

    assert (masks(found), list(found.threads[7])) == ({7: "None"}, [8])


def test_the_command_line_above_tells_the_pid(build):
    found = tasks(build, f"$ grep allowed_list /proc/7/status\nCpus_allowed_list:\t0-1\n$ cat /proc/7/numa_maps\n{MAPS}")

    assert (masks(found), list(found.maps), found.policies) == ({7: "0-1"}, [7], {(7, 7): "bind:1"})


def test_what_a_collector_kept_of_a_large_numa_maps_is_partial_though_its_line_is_whole(host):
    found = host("2p-2n-2g-sampled").section(Tasks).maps

    assert {pid: each.record.is_partial for pid, each in found.items()} == {100: False, 101: True}
    assert found[101].record.policy.text == "default"


def test_a_part_of_numa_maps_is_partial(build):
    whole, part = (tasks(build, f"$ {command} /proc/7/numa_maps\n{MAPS}").maps[7].record for command in ("cat", "head -1"))

    assert (whole.is_partial, part.is_partial) == (False, True)


def test_taskset_tells_a_mask(build):
    assert masks(tasks(build, "pid 7's current affinity list: 0-1\npid 8's current affinity list: 2\n")) == {7: "0-1", 8: "2"}


def test_a_status_is_believed_before_taskset_and_a_difference_is_a_conflict(build):
    found = tasks(build, "pid 7's current affinity list: 2\n" + STATUS.format(7, "0-1"))

    assert masks(found) == {7: "0-1"}
    assert found.conflicts == (Conflict("pid:7", "allowed_cpus", (("0-1", "procfs"), ("2", "taskset"))),)


def test_an_excerpt_with_the_mask_of_the_one_process_is_that_processs(build):
    found = tasks(build, "pid 7's current affinity list: 0-1\nCpus_allowed_list:\t0-1\nMems_allowed_list:\t1\n")

    assert (str(found.mains[7].record.allowed_mems), found.excerpts) == ("1", ())


def test_an_excerpt_of_nobody_knows_whom_stays_apart(build):
    other = tasks(build, "pid 7's current affinity list: 0-1\nCpus_allowed_list:\t2\n")
    alone = tasks(build, MAPS)

    assert (masks(other), [str(each.status.record.allowed_cpus) for each in other.excerpts]) == ({7: "0-1"}, ["2"])
    assert ([each.maps.record.policy.text for each in alone.excerpts], alone.maps) == (["bind:1"], {})


def test_numastat_tells_bytes_by_pid(build):
    table = (
        " Per-node process memory usage (in MBs)\n PID              Node 0 Node 1 Total\n"
        " ---------------  ------ ------ -----\n 7 (worker)            6      8    14\n"
    )
    found = tasks(build, table)

    assert (found.memory[7].bytes_by_node, masks(found)) == ({0: 6 << 20, 1: 8 << 20}, {7: "None"})
