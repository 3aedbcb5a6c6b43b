"""NA702: what the launcher's model gives a rank against the mask that it has."""

import subprocess
import sys

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

TORCHRUN = "/usr/bin/python3\0/usr/bin/torchrun\0--nproc-per-node\0002\0--numa-binding=node\0train.py\0"
DEEPSPEED = "python3\0-u\0-m\0deepspeed.launcher.launch\0--bind_cores_to_rank\0--bind_core_list\0000-7\0train.py\0"
BOTH = ("rank:0", "rank:1")


def started_by(entries, argv, mask="0-7"):
    """Both ranks as children of a process with this command line and this mask."""
    status = f"Name:\tlauncher\nTgid:\t90\nPid:\t90\nPPid:\t1\nNSpid:\t90\nThreads:\t1\nCpus_allowed_list:\t{mask}\n"
    more = {"root/proc/90/status": status, "root/proc/90/cmdline": argv, "root/proc/90/cgroup": "0::/work\n"}
    for pid in (100, 101):
        path = f"root/proc/{pid}/status"
        more[path] = entries[path].replace("PPid:\t1\n", "PPid:\t90\n")
    return entries | more


def with_variables(entries, text, pid=101):
    """Further variables in the environment of a rank."""
    path = f"root/proc/{pid}/environ"
    return entries | {path: entries[path] + text}


@pytest.fixture
def entries(root):
    return started_by(root("2p-2n-2g"), TORCHRUN)


def the_failure(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def all_are(outcome):
    return {(subject, outcome) for subject in BOTH}


def test_does_not_apply_without_a_launcher_that_is_recognised(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA702") == all_are("not_applicable")


def test_silent_where_the_masks_are_those_predicted(entries, build, outcomes):
    assert outcomes(build(entries), "NA702") == all_are("pass")


def test_silent_where_somebody_narrowed_the_mask(entries, masked, build, outcomes):
    assert outcomes(build(masked(entries, 101, "2")), "NA702") == all_are("pass")


def test_a_rank_with_the_launchers_own_mask_was_not_bound(entries, masked, build, judge):
    failure = the_failure(judge(build(masked(entries, 101, "0-7")), "NA702"))

    assert (failure.subject, failure.message, failure.severity, failure.confidence) == ("rank:1", "never-ran", None, Confidence.CERTAIN)
    facts = failure.facts
    assert (facts["launcher"], str(facts["wanted"]), str(facts["cpus"])) == ("torchrun", "2-3,6-7", "0-7")
    assert [each.path for each in failure.evidence] == ["root/proc/90/cmdline", "root/proc/101/status"]


def test_a_rank_with_the_cpus_of_another(entries, masked, build, judge):
    failure = the_failure(judge(build(masked(entries, 101, "0-1,4-5")), "NA702"))

    assert (failure.message, failure.facts["other"], failure.severity) == ("wrong-number", 0, None)


def test_a_mask_that_another_binder_says_it_gave(entries, masked, build, judge):
    log = {"logs/deepinfer.log": "bind_cpu gpu_id: 1, cpus: [0, 1].\n"}

    failure = the_failure(judge(build(masked(entries, 101, "0-1") | log), "NA702"))

    assert (failure.message, failure.facts["by"]) == ("overwritten", "deepinfer")
    assert "logs/deepinfer.log" in [each.path for each in failure.evidence]


def test_a_mask_that_nobody_explains_is_likely(entries, masked, build, judge):
    failure = the_failure(judge(build(masked(entries, 101, "1-2")), "NA702"))

    assert (failure.message, failure.confidence, failure.severity) == (None, Confidence.LIKELY, None)


def test_a_note_where_the_cpus_are_local_all_the_same(root, masked, build, judge):
    entries = started_by(root("2p-2n-2g"), "mpirun\0-n\0002\0taskset\0-c\0000-3\0python3\0train.py\0")

    failure = the_failure(judge(build(masked(entries, 101, "2-3")), "NA702"))

    assert (failure.subject, failure.facts["launcher"], failure.severity) == ("rank:0", "taskset", Severity.INFO)


def test_low_within_one_package(entries, masked, in_one_package, build, judge):
    assert the_failure(judge(build(in_one_package(masked(entries, 101, "0-7"))), "NA702")).severity is Severity.LOW


def test_does_not_apply_on_one_numa_node(entries, masked, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(masked(entries, 101, "0"))), "NA702") == all_are("not_applicable")


def test_what_a_cpuset_cut_is_not_its_business(entries, masked, build, outcomes):
    in_cpuset = entries | {"root/sys/fs/cgroup/work/cpuset.cpus.effective": "0-5\n"}
    assert outcomes(build(in_cpuset), "NA702") == all_are("pass")

    launcher_outside = masked(in_cpuset, 101, "0-1") | {"root/proc/90/cgroup": "0::/\n"}
    assert outcomes(build(launcher_outside), "NA702") == {("rank:0", "pass"), ("rank:1", "not_applicable")}


def test_the_launchers_own_mask_limits_what_it_gives(root, masked, build, outcomes):
    narrow = masked(started_by(root("2p-2n-2g"), TORCHRUN, "1-2"), 101, "2")

    assert outcomes(build(masked(narrow, 100, "1")), "NA702") == all_are("pass")


def test_deepspeed_counts_cpus(root, masked, build, outcomes):
    entries = started_by(root("2p-2n-2g"), DEEPSPEED)
    for pid in (100, 101):
        entries = with_variables(entries, "CUDA_VISIBLE_DEVICES=0,1\0", pid)

    assert outcomes(build(masked(masked(entries, 100, "0-3"), 101, "4-7")), "NA702") == all_are("pass")
    assert outcomes(build(masked(masked(entries, 100, "0-3"), 101, "0-3")), "NA702") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_silent_where_the_launchers_log_names_other_cpus_than_the_model(root, masked, build, outcomes):
    entries = started_by(root("2p-2n-2g"), DEEPSPEED) | {
        "logs/deepspeed.log": "process 101 spawned with command: ['numactl', '-C', '0-1', '/usr/bin/python3', '-u', 'train.py']\n"
    }
    entries = with_variables(entries, "CUDA_VISIBLE_DEVICES=0,1\0")

    assert outcomes(build(masked(entries, 101, "0-1")), "NA702") == all_are("not_applicable")


def test_the_mask_that_srun_chose(root, masked, build, judge, outcomes):
    srun = "SLURM_LOCALID=1\0SLURM_TASK_PID=101\0SLURM_CPU_BIND_TYPE=mask_cpu:\0SLURM_CPU_BIND_LIST=0x33,0xcc\0"
    entries = with_variables(root("2p-2n-2g"), srun)

    assert outcomes(build(entries), "NA702") == {("rank:0", "not_applicable"), ("rank:1", "pass")}
    failure = the_failure(judge(build(masked(entries, 101, "0-1,4-5")), "NA702"))
    assert (failure.facts["launcher"], failure.message) == ("srun", "wrong-number")


def test_silent_where_the_model_is_not_certain(entries, masked, build, outcomes):
    without_caches = entries | {"root/proc/90/cmdline": TORCHRUN.replace("=node", "=core-complex")}

    assert outcomes(build(masked(without_caches, 101, "0-7")), "NA702") == all_are("not_applicable")


@pytest.mark.parametrize("pid", [90, 101])
def test_unknown_without_one_of_the_masks(entries, masked, build, outcomes, pid):
    path = f"root/proc/{pid}/status"
    blank = entries | {path: "".join(line for line in entries[path].splitlines(True) if "Cpus_allowed" not in line)}

    assert ("rank:1", "unknown") in outcomes(build(blank), "NA702")


def test_a_host_without_such_a_launcher_does_not_pay_for_the_models():
    code = "import sys; from numaaudit.rules.engine import load_rules; load_rules(); print('numaaudit.launchers.registry' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
