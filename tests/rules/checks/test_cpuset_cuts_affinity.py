"""NA601: the control group that took CPUs away."""

from numaaudit.rules.finding import Outcome, Severity

GROUP = "root/sys/fs/cgroup/pod"
CLAIM = "(Worker_TP1 pid=101) Binding worker subprocess (local_rank=1) to CPUs {} and NUMA nodes 1\n"
BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}


def failures(judgements):
    return [each for each in judgements if each.outcome is Outcome.FAIL]


def inside(entries, cpus, mems="0-1"):
    """The entries with a cpuset of these CPUs and NUMA nodes for /pod and for /pod/inner, where rank 1 is."""
    changed = entries | {"root/proc/101/cgroup": "0::/pod/inner\n"}
    for folder in (GROUP, f"{GROUP}/inner"):
        changed[f"{folder}/cpuset.cpus.effective"], changed[f"{folder}/cpuset.mems.effective"] = f"{cpus}\n", f"{mems}\n"
    return changed


def test_silent_where_the_cpuset_is_the_whole_host(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA601") == BOTH_PASS


def test_silent_where_a_rank_has_what_its_cpuset_gives_and_that_is_local(root, build, outcomes):
    entries = inside(root("2p-2n-2g"), "2-3")

    assert outcomes(build(entries), "NA601") == BOTH_PASS


def test_names_the_group_nearest_the_root_without_local_cpus(root, masked, build, judge):
    (failure,) = failures(judge(build(inside(masked(root("2p-2n-2g"), 101, "0-1,4-5"), "0-1,4-5")), "NA601"))

    assert (failure.subject, failure.severity, failure.message) == ("rank:1", None, None)
    assert failure.facts["group"] == "cgroup /pod"
    assert "cgroup:/pod" in failure.related
    assert [(each.path, each.text) for each in failure.evidence[:2]] == [
        (f"{GROUP}/cpuset.cpus.effective", "0-1,4-5"),
        ("root/proc/101/status", "Cpus_allowed_list:\t0-1,4-5"),
    ]


def test_silent_where_the_cpuset_would_have_local_cpus(root, masked, build, outcomes):
    assert outcomes(build(masked(root("2p-2n-2g"), 101, "0-1")), "NA601") == BOTH_PASS


def test_a_claim_that_the_cpuset_cut_in_half_is_named(root, masked, build, judge):
    entries = inside(masked(root("2p-2n-2g"), 101, "2-3"), "2-3") | {"logs/serve.log": CLAIM.format("2-3,6-7")}

    (failure,) = failures(judge(build(entries), "NA601"))

    assert (failure.subject, failure.message, failure.severity) == ("rank:1", "cut", Severity.MEDIUM)
    assert (str(failure.facts["wanted"]), str(failure.facts["has"]), failure.facts["by"]) == ("2-3,6-7", "2-3", "vllm")
    assert failure.evidence[0].path == "logs/serve.log"
    assert failure.thresholds == {"cut_share": 0.5}


def test_low_where_most_is_left_and_local(root, masked, build, judge):
    entries = inside(masked(root("2p-2n-2g"), 101, "2-3,6"), "2-3,6") | {"logs/serve.log": CLAIM.format("2-3,6-7")}

    assert [each.severity for each in failures(judge(build(entries), "NA601"))] == [Severity.LOW]


def test_a_claim_within_the_cpuset_is_not_cut(root, masked, build, outcomes):
    entries = inside(masked(root("2p-2n-2g"), 101, "2-3"), "2-3,6-7") | {"logs/serve.log": CLAIM.format("2-3,6-7")}

    assert outcomes(build(entries), "NA601") == BOTH_PASS


def test_offline_cpus_were_not_cut_by_a_cpuset(root, masked, build, outcomes):
    entries = inside(masked(root("2p-2n-2g"), 101, "2-3"), "2-3") | {"logs/serve.log": CLAIM.format("2-3,8-9")}

    assert outcomes(build(entries), "NA601") == BOTH_PASS


def test_a_numactl_above_the_process_asks_too(root, masked, build, judge):
    entries = inside(masked(root("2p-2n-2g"), 101, "2-3"), "2-3")
    entries |= {
        "root/proc/101/status": entries["root/proc/101/status"].replace("PPid:\t1\n", "PPid:\t90\n"),
        "root/proc/90/status": "Name:\tmpirun\nTgid:\t90\nPid:\t90\nPPid:\t1\nNSpid:\t90\n",
        "root/proc/90/cmdline": "mpirun\0-np\0002\0numactl\0--physcpubind=2-3,6-7\0python3\0",
    }

    (failure,) = failures(judge(build(entries), "NA601"))

    assert (failure.facts["by"], str(failure.facts["wanted"])) == ("numactl", "2-3,6-7")
    assert failure.evidence[0].path == "root/proc/90/cmdline"


def test_a_refused_numa_node_that_no_process_may_use_names_the_group(root, removed, build, outcomes, judge):
    entries = inside(removed(root("2p-2n-2g"), "proc/100/"), "0-7", mems="0")
    host = build(entries | {"logs/serve.log": "libnuma: Warning: node argument 1 is out of range\n"})

    assert outcomes(host, "NA601") == {("rank:1", "pass"), ("cgroup:/pod", "fail")}
    assert [str(each.facts["wanted"]) for each in failures(judge(host, "NA601"))] == ["1"]


def test_a_refusal_that_no_cpuset_explains_is_not_its_business(root, build, outcomes):
    entries = root("2p-2n-2g") | {"logs/serve.log": "libnuma: Warning: node argument 1 is out of range\n"}

    assert outcomes(build(entries), "NA601") == BOTH_PASS


def test_unknown_where_a_rank_is_not_local_and_its_cpusets_are_not_known(root, removed, build, outcomes):
    entries = removed(root("2p-2n-2g-rank-off-node"), "/cgroup")

    assert outcomes(build(entries), "NA601") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_without_a_mask(root, build, outcomes):
    entries = root("2p-2n-2g") | {"root/proc/101/status": "Name:\tpython3\nPid:\t101\n"}

    assert outcomes(build(entries), "NA601") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    entries = on_one_numa_node(root("2p-2n-2g"))

    assert outcomes(build(entries), "NA601") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
