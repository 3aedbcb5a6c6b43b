"""NA701: what a log says against the board and the mask."""

from numaaudit.rules.finding import Confidence, Outcome, Severity

LOG = "logs/deepinfer.log"
RIGHT = "bind_cpu gpu_id: 0, cpus: [0, 1, 4, 5].\nbind_cpu gpu_id: 1, cpus: [2, 3, 6, 7].\n"
SWAPPED = "bind_cpu gpu_id: 0, cpus: [0, 1, 4, 5].\nbind_cpu gpu_id: 1, cpus: [0, 1].\n"
BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}
NO_RANKS = ("proc/100/", "proc/101/", "compute-apps")


def the_failure(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_does_not_apply_without_a_claim(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA701") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


def test_silent_where_claim_mask_and_board_agree(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {LOG: RIGHT}), "NA701") == BOTH_PASS


def test_names_the_rank_whose_launcher_did_as_it_said_with_the_wrong_cpus(root, masked, build, judge):
    entries = masked(root("2p-2n-2g-rank-off-node"), 101, "0-1") | {LOG: SWAPPED}

    failure = the_failure(judge(build(entries), "NA701"))

    assert (failure.subject, failure.message, str(failure.facts["claimed"])) == ("rank:1", None, "0-1")
    assert (str(failure.facts["claimed_numa_nodes"]), str(failure.facts["gpu_numa_node"])) == ("0", "1")
    assert [(each.path, each.line) for each in failure.evidence[:2]] == [(LOG, 2), ("root/proc/101/status", 8)]


def test_a_wrong_line_of_a_rank_that_runs_locally_is_history(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {LOG: SWAPPED}), "NA701") == BOTH_PASS


def test_only_the_last_line_counts(root, masked, build, outcomes):
    entries = root("2p-2n-2g") | {LOG: SWAPPED + RIGHT}

    assert outcomes(build(entries), "NA701") == BOTH_PASS


def test_a_mask_that_is_not_what_the_log_says_was_written_over(root, masked, build, judge):
    failure = the_failure(judge(build(masked(root("2p-2n-2g"), 101, "0-7") | {LOG: RIGHT}), "NA701"))

    assert (failure.subject, failure.message, str(failure.facts["cpus"])) == ("rank:1", "overwritten", "0-7")


def test_what_a_cpuset_cut_is_not_its_business(root, masked, build, outcomes):
    entries = masked(root("2p-2n-2g"), 101, "0-3") | {LOG: RIGHT, "root/sys/fs/cgroup/work/cpuset.cpus.effective": "0-5\n"}

    assert outcomes(build(entries), "NA701") == BOTH_PASS


def test_low_within_one_package(root, masked, in_one_package, build, judge):
    entries = in_one_package(masked(root("2p-2n-2g"), 101, "0-1")) | {LOG: SWAPPED}

    assert the_failure(judge(build(entries), "NA701")).severity is Severity.LOW


def test_a_log_and_a_board_alone_speak_of_the_gpu(root, removed, build, judge, outcomes):
    listing = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-1111-2222-3333-444444444444)\n"
    listing += "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-1111-2222-3333-444444444444)\n"
    host = build(removed(root("2p-2n-2g"), *NO_RANKS) | {LOG: SWAPPED, "commands/nvidia-smi_-L.out": listing})

    assert outcomes(host, "NA701") == {("gpu:0000:17:00.0", "pass"), ("gpu:0000:98:00.0", "fail")}
    failure = the_failure(judge(host, "NA701"))
    assert (failure.message, failure.confidence, failure.related) == ("claim-only", Confidence.LIKELY, ("launcher:deepinfer",))


def test_unknown_where_no_gpu_has_the_number(root, removed, build, outcomes):
    host = build(removed(root("2p-2n-2g"), *NO_RANKS) | {LOG: RIGHT})

    assert outcomes(host, "NA701") == {("gpu:#0", "unknown"), ("gpu:#1", "unknown")}


def test_unknown_where_the_lines_name_nobody_that_is_known(root, build, outcomes):
    entries = root("2p-2n-2g") | {LOG: "bind_cpu gpu_id: 7, cpus: [0, 1].\n"}

    expected = {("rank:0", "not_applicable"), ("rank:1", "not_applicable"), ("launcher:deepinfer", "unknown")}
    assert outcomes(build(entries), "NA701") == expected


def test_unknown_without_the_gpus_numa_node(root, build, outcomes):
    gpu = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
    entries = root("2p-2n-2g") | {LOG: SWAPPED, f"{gpu}/numa_node": "-1\n", f"{gpu}/local_cpulist": "0-7\n"}

    assert outcomes(build(entries), "NA701") == {("rank:0", "pass"), ("rank:1", "unknown")}
