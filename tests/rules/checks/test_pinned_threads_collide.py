"""NA210: two processes whose threads are pinned to the same CPUs."""

import pytest

from numaaudit.rules.finding import Confidence

WORKERS = {100: range(120, 124), 101: range(130, 134)}


@pytest.fixture
def entries(root, masked):
    """Two processes with all CPUs and four busy threads each beside their main threads."""
    changed = root("2p-2n-2g")
    for pid, tids in WORKERS.items():
        changed = masked(changed, pid, "0-7")
        main = changed[f"root/proc/{pid}/status"]
        changed[f"root/proc/{pid}/status"] = main.replace("Threads:\t2", "Threads:\t6")
        for tid in tids:
            for path in [path for path in changed if f"/{pid}/task/{pid}/" in path]:
                changed[path.replace(f"/task/{pid}/", f"/task/{tid}/")] = changed[path].replace(f"Pid:\t{pid}\n", f"Pid:\t{tid}\n")
    return changed


@pytest.fixture
def pinned(entries, masked):
    """The host with these CPUs for the four threads of each process."""

    def pin(first, second):
        changed = entries
        for (pid, tids), cpus in zip(WORKERS.items(), (first, second), strict=True):
            for tid, cpu in zip(tids, cpus, strict=True):
                changed = masked(changed, pid, str(cpu), tids=(tid,))
        return changed

    return pin


def test_silent_where_nothing_is_pinned(entries, build, outcomes):
    assert outcomes(build(entries), "NA210") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_silent_where_each_has_cpus_of_its_own(pinned, build, outcomes):
    assert outcomes(build(pinned((0, 1, 4, 5), (2, 3, 6, 7))), "NA210") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_both_fail_on_the_same_cpus(pinned, build, outcomes, judge):
    host = build(pinned((0, 1, 4, 5), (0, 1, 4, 5)))

    assert outcomes(host, "NA210") == {("rank:0", "fail"), ("rank:1", "fail")}
    first, _ = judge(host, "NA210")
    assert (str(first.facts["shared"]), str(first.facts["free"]), first.facts["other_pid"]) == ("0-1,4-5", "2-3,6-7", 101)
    assert first.thresholds == {"busy_part": 0.25, "least_shared": 4}
    assert [line.path for line in first.evidence] == ["root/proc/100/task/120/status", "root/proc/101/task/130/status"]


def test_silent_for_fewer_than_four(pinned, build, outcomes):
    assert outcomes(build(pinned((0, 1, 4, 5), (0, 1, 4, 7))), "NA210") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_silent_where_no_others_are_free(pinned, build, outcomes):
    narrow = {"root/sys/devices/system/cpu/online": "0-1,4-5\n"}

    assert outcomes(build(pinned((0, 1, 4, 5), (0, 1, 4, 5)) | narrow), "NA210") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_likely_where_there_is_one_reading(pinned, removed, build, judge):
    first, _ = judge(build(removed(pinned((0, 1, 4, 5), (0, 1, 4, 5)), "again/")), "NA210")

    assert first.confidence is Confidence.LIKELY


def test_unknown_where_threads_are_missing(entries, removed, build, outcomes):
    assert ("rank:1", "unknown") in outcomes(build(removed(entries, "/101/task/")), "NA210")


def with_ticks(entries, pid, later):
    """The entries in which each thread of a process, but its main one, has these ticks in the second reading."""
    changed = dict(entries)
    for tid in WORKERS[pid]:
        path = f"again/1/root/proc/{pid}/task/{tid}/stat"
        fields = entries[path].split()
        changed[path] = " ".join([*fields[:13], str(later), *fields[14:]]) + "\n"
    return changed


def test_silent_where_one_only_stands_by(pinned, build, outcomes):
    standby = with_ticks(pinned((0, 1, 4, 5), (0, 1, 4, 5)), 101, 801)

    assert outcomes(build(standby), "NA210") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_a_main_thread_that_spins_does_not_hide_the_workers(pinned, build, outcomes):
    path = "again/1/root/proc/100/task/100/stat"
    entries = pinned((0, 1, 4, 5), (0, 1, 4, 5))
    fields = entries[path].split()
    spinning = entries | {path: " ".join([*fields[:13], "9000", *fields[14:]]) + "\n"}

    assert outcomes(build(spinning), "NA210") == {("rank:0", "fail"), ("rank:1", "fail")}


@pytest.fixture
def together(entries, removed, masked):
    """Two processes without a GPU, of one program, with six busy threads each and this mask."""

    def give(cpus):
        return masked(masked(removed(entries, "/fd/", "commands/", "/driver/", "/environ"), 100, cpus), 101, cpus)

    return give


def test_twelve_busy_threads_of_two_processes_on_four_cpus(together, build, outcomes, judge):
    host = build(together("0-3"))

    assert outcomes(host, "NA210") == {("pid:100", "fail"), ("pid:101", "fail")}
    first, _ = judge(host, "NA210")
    assert (first.message, first.facts["num_threads"], str(first.facts["shared"]), str(first.facts["free"])) == (
        "together",
        12,
        "0-3",
        "4-7",
    )


def test_silent_where_processes_share_a_numa_node_by_design(together, build, outcomes):
    assert outcomes(build(together("0-1,4-5")), "NA210") == {("pid:100", "pass"), ("pid:101", "pass")}


def test_silent_where_another_process_was_given_the_other_cpus(together, build, outcomes):
    entries = together("0-3")
    third = {path.replace("/100/", "/300/"): text.replace("0-3\n", "4-7\n") for path, text in entries.items() if "/proc/100/" in path}

    assert ("pid:100", "pass") in outcomes(build(entries | third), "NA210")


def test_silent_for_two_programs_on_the_same_cpus(together, build, outcomes):
    entries = {path: text.replace("python3", "other") if "/proc/101/" in path else text for path, text in together("0-3").items()}

    assert outcomes(build(entries), "NA210") == {("pid:100", "pass"), ("pid:101", "pass")}
