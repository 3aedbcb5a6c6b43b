import pytest

from numaaudit.collect.slurm import Step, job_cgroup, step_of


@pytest.mark.parametrize(
    ("cgroup", "job"),
    [
        ("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_3\n", "/system.slice/slurmstepd.scope/job_7"),
        ("0::/system.slice/gpu1_slurmstepd.scope/job_7/step_batch/user/task_0\n", "/system.slice/gpu1_slurmstepd.scope/job_7"),
        ("0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0/user/task_3\n", "/system.slice/slurmstepd.scope/s5K1KKYAYG5D00"),
        ("4:memory:/\n3:cpuset:/slurm/uid_1000/job_7/step_0/task_1\n", "/slurm/uid_1000/job_7"),
        ("3:cpuset:/slurm_gpu1/uid_1000/job_7/step_extern\n", "/slurm_gpu1/uid_1000/job_7"),
    ],
)
def test_the_job_is_above_the_step(cgroup, job):
    assert job_cgroup(cgroup) == job


@pytest.mark.parametrize("cgroup", ["", "0::/\n", "damaged", "0::/user.slice/step_1/x\n", "0::/system.slice/slurmd.service\n"])
def test_without_a_cgroup_of_slurms_there_is_none(cgroup):
    assert job_cgroup(cgroup) is None


def test_srun_tells_a_task_its_job_step_and_place():
    environ = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "3", "SLURMD_NODENAME": "gpu1"}

    assert step_of(environ) == Step("7", "0", "3", "gpu1")


def test_outside_of_a_job_there_is_no_step():
    assert step_of({"SLURM_CONF": "/etc/slurm/slurm.conf"}) is None


@pytest.mark.parametrize(
    ("step_id", "local_id", "stands_back"), [("0", "0", False), ("0", "1", True), ("0", None, False), (None, "1", False)]
)
def test_of_the_tasks_of_a_step_only_the_first_collects(step_id, local_id, stands_back):
    assert Step("7", step_id, local_id, None).stands_back is stands_back
