"""NA201: a rank none of whose CPUs is local to its GPU."""

from numaaudit.rules.finding import Confidence, Outcome, Severity

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0/numa_node"


def test_silent_where_each_rank_is_at_home(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA201") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_names_exactly_the_rank_on_the_other_numa_node(host, outcomes):
    assert outcomes(host("2p-2n-2g-rank-off-node"), "NA201") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_the_failure_has_both_facts_and_their_lines(host, judge):
    failure = next(each for each in judge(host("2p-2n-2g-rank-off-node"), "NA201") if each.outcome is Outcome.FAIL)

    assert str(failure.facts["cpus"]) == "0-1,4-5"
    assert str(failure.facts["gpu_numa_node"]) == "1"
    assert [(each.path, each.line, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", 9, "Cpus_allowed_list:\t0-1,4-5"),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", 1, "1"),
        ("root/sys/devices/system/node/node1/cpulist", 1, "2-3,6-7"),
    ]


def test_unknown_without_the_gpus_numa_node(root, build, outcomes):
    entries = {**root("2p-2n-2g-rank-off-node"), GPU: "-1\n", GPU.replace("numa_node", "local_cpulist"): "0-7\n"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_without_the_ranks_mask(root, build, outcomes):
    entries = {**root("2p-2n-2g-rank-off-node"), "root/proc/101/status": "Name:\tpython3\nPid:\t101\nNSpid:\t101\n"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_where_several_devices_are_open_and_nothing_says_which(root, build, outcomes):
    entries = {path: entry for path, entry in root("2p-2n-2g-rank-off-node").items() if "compute-apps" not in path}
    entries |= {"root/proc/101/fd/5": "@/dev/nvidia0", "root/proc/101/environ": "RANK=1\0"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_low_at_most_within_one_package(root, build, judge):
    entries = root("2p-2n-2g-rank-off-node")
    entries |= {f"root/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": "0\n" for cpu in range(8)}

    assert [each.severity for each in judge(build(entries), "NA201") if each.outcome is Outcome.FAIL] == [Severity.LOW]


def test_does_not_apply_with_one_numa_node(root, build, outcomes):
    entries = {path: entry for path, entry in root("2p-2n-2g-rank-off-node").items() if "/node/node1/" not in path}

    assert outcomes(build(entries), "NA201") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


# -- threads and their weight

STATUS = "Name:\tpython3\nTgid:\t{}\nPid:\t{}\nCpus_allowed_list:\t{}\n"


def stat(tid: int, ticks: int) -> str:
    return (
        f"{tid} (python3) S 1 101 101 0 -1 4194304 1 0 0 0 {ticks} 0 0 0 20 0 2 0 5000 1000000 102400 0 0 0 0 0 0 0 0 0 0 0 0 0 17 2 0 0\n"
    )


def with_threads(entries, readings, masks):
    """Rank 1 with threads 101 and 111 that have these masks and these CPU times in one reading or two."""
    for tid, mask in masks.items():
        entries[f"root/proc/101/task/{tid}/status"] = STATUS.format(101, tid, mask)
    for folder, times in zip(("root", "again/1/root"), readings, strict=False):
        for tid, ticks in times.items():
            entries[f"{folder}/proc/101/task/{tid}/stat"] = stat(tid, ticks)
    if len(readings) == 1:
        entries = {path: entry for path, entry in entries.items() if not path.startswith("again/")}
    return entries


def test_fails_where_busy_threads_are_off_the_node_and_the_main_thread_is_not(root, build, judge):
    entries = with_threads(root("2p-2n-2g"), ({101: 500, 111: 500}, {101: 510, 111: 590}), {101: "2-3,6-7", 111: "0-1"})

    failure = next(each for each in judge(build(entries), "NA201") if each.outcome is Outcome.FAIL)

    assert (failure.subject, failure.message, failure.facts["percent"], str(failure.facts["cpus"])) == ("rank:1", "threads", 90, "0-1")
    assert failure.confidence is Confidence.CERTAIN
    assert failure.thresholds == {"off_node_share": 0.5, "idle_share": 0.05}
    assert failure.evidence[0].path == "root/proc/101/task/111/status"


def test_silent_where_threads_off_the_node_use_little(root, build, outcomes):
    entries = with_threads(root("2p-2n-2g"), ({101: 500, 111: 5000}, {101: 590, 111: 5010}), {101: "2-3,6-7", 111: "0-1"})

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_silent_where_an_idle_main_thread_alone_is_off_the_node(root, build, outcomes):
    entries = with_threads(root("2p-2n-2g-rank-off-node"), ({101: 500, 111: 500}, {101: 501, 111: 599}), {101: "0-1,4-5", 111: "2-3"})

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_fails_where_a_working_main_thread_is_off_the_node(root, build, outcomes):
    entries = with_threads(root("2p-2n-2g-rank-off-node"), ({101: 500, 111: 500}, {101: 520, 111: 580}), {101: "0-1,4-5", 111: "2-3"})

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_likely_at_most_by_total_times(root, build, judge):
    entries = with_threads(root("2p-2n-2g"), ({101: 100, 111: 900},), {101: "2-3,6-7", 111: "0-1"})

    assert [each.confidence for each in judge(build(entries), "NA201") if each.outcome is Outcome.FAIL] == [Confidence.LIKELY]


def test_unknown_where_the_main_thread_is_local_and_other_threads_were_not_read(root, build, outcomes):
    entries = {path: entry for path, entry in root("2p-2n-2g").items() if "/101/task/" not in path}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}
