"""NA202: a rank whose CPUs are partly local."""

from numaaudit.rules.finding import Outcome, Severity

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}


def failures(judgements):
    return [each for each in judgements if each.outcome is Outcome.FAIL]


def test_silent_where_each_rank_is_at_home(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA202") == BOTH_PASS


def test_a_rank_with_no_local_cpu_is_left_to_na201(host, outcomes):
    assert outcomes(host("2p-2n-2g-rank-off-node"), "NA202") == BOTH_PASS


def test_an_unbound_rank_has_its_own_sentence(root, masked, build, judge):
    (failure,) = failures(judge(build(masked(root("2p-2n-2g"), 101, "0-7")), "NA202"))

    assert (failure.subject, failure.message, failure.severity) == ("rank:1", "unbound", None)
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", "Cpus_allowed_list:\t0-7"),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", "1"),
        ("root/sys/devices/system/node/node1/cpulist", "2-3,6-7"),
    ]


def test_a_mask_across_the_border_names_both_numa_nodes(root, masked, build, judge):
    (failure,) = failures(judge(build(masked(root("2p-2n-2g"), 101, "1-2")), "NA202"))

    assert (failure.subject, failure.message, str(failure.facts["numa_nodes"])) == ("rank:1", None, "0-1")
    assert failure.thresholds == {"straddling_share": 0.5, "idle_share": 0.05}


def test_a_rank_with_its_whole_cpuset_is_said_so(root, masked, build, judge):
    entries = root("2p-2n-2g") | {"root/sys/fs/cgroup/work/cpuset.cpus.effective": "0-2,4\n"}

    assert {each.message for each in failures(judge(build(masked(entries, 101, "0-7")), "NA202"))} == {"whole-cpuset"}


def test_silent_where_the_main_thread_is_wide_and_all_work_is_local(root, masked, build, outcomes):
    entries = masked(root("2p-2n-2g"), 101, "0-7", tids=(101,))
    entries["root/proc/101/status"] = entries["root/proc/101/status"].replace("2-3,6-7", "0-7")
    entries["again/1/root/proc/101/task/101/stat"] = entries["root/proc/101/task/101/stat"]

    assert outcomes(build(entries), "NA202") == BOTH_PASS


def test_silent_where_a_wide_helper_does_little(root, masked, build, outcomes):
    entries = masked(root("2p-2n-2g"), 101, "0-7", tids=(111,))

    assert outcomes(build(entries), "NA202") == BOTH_PASS


def test_fails_where_most_work_may_go_anywhere(root, masked, build, judge):
    entries = masked(root("2p-2n-2g"), 101, "0-7", tids=(111,))
    entries["again/1/root/proc/101/task/111/stat"] = entries["root/proc/101/task/111/stat"].replace(" 200 0 ", " 900 0 ")

    (failure,) = failures(judge(build(entries), "NA202"))

    assert (failure.subject, failure.message, failure.facts["percent"]) == ("rank:1", "threads", 90)
    assert failure.evidence[0].path == "root/proc/101/task/111/status"


def test_a_note_within_one_package(root, masked, in_one_package, build, judge):
    entries = in_one_package(masked(root("2p-2n-2g"), 101, "0-7"))

    assert [each.severity for each in failures(judge(build(entries), "NA202"))] == [Severity.INFO]


def test_unknown_without_the_gpus_numa_node(root, masked, build, outcomes):
    entries = masked(root("2p-2n-2g"), 101, "0-7") | {f"{GPU}/numa_node": "-1\n", f"{GPU}/local_cpulist": "0-7\n"}

    assert outcomes(build(entries), "NA202") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_where_other_threads_were_not_read(root, removed, build, outcomes):
    entries = removed(root("2p-2n-2g"), "/101/task/")

    assert outcomes(build(entries), "NA202") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_does_not_apply_with_one_numa_node(root, masked, on_one_numa_node, build, outcomes):
    entries = on_one_numa_node(masked(root("2p-2n-2g"), 101, "0-7"))

    assert outcomes(build(entries), "NA202") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
