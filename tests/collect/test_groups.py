from numaaudit.collect.groups import job_group, named_groups
from numaaudit.collect.options import CollectOptions

JOB = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n"


def test_a_job_has_the_tasks_of_all_its_steps_and_no_others():
    job = job_group({"SLURM_JOB_ID": "7"}, JOB)

    assert job is not None
    assert (job.title, job.has(JOB.replace("step_0", "step_1")), job.has(JOB.replace("job_7", "job_77"))) == ("Slurm job 7", True, False)


def test_without_a_job_or_its_cgroup_there_is_no_group():
    assert (job_group({}, JOB), job_group({"SLURM_JOB_ID": "7"}, "0::/user.slice\n")) == (None, None)


def test_each_option_names_a_group(make_root):
    options = CollectOptions(cgroup="/a", container="ab", root=make_root({"proc/mounts": ""}))

    titles = [group.title for group in named_groups(options, ["0::/docker/%s\n" % ("ab" * 32)])]
    assert titles == ["cgroup /a", "container abababababab"]
