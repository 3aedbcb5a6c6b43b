"""Slurm: which job step this is, and which processes are the job's (srun(1); cgroups as in Slurm's ``doc/html/cgroup_v2.shtml``).

``/slurm/uid_1000/job_7/step_0/task_0`` in each hierarchy of v1, ``/system.slice/slurmstepd.scope/job_7/step_0/user/task_0`` in v2;
a daemon per simulated host puts its name before ``slurmstepd``, and Slurm 26.05 an id of its own (SLUID) in place of ``job_7``.
"""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional

from numaaudit.core.procfs import cgroup_rows

DAEMON = "slurmstepd"  # one for each step, beside its tasks


class Step(NamedTuple):
    """The job step a process belongs to, in the words of its environment. ``host`` is Slurm's name for this host."""

    job_id: str
    step_id: Optional[str]
    local_id: Optional[str]  # of the task, from 0 on each host; set by srun only
    host: Optional[str]

    @property
    def stands_back(self) -> bool:
        """Whether another task of this step collects on this host."""
        return self.step_id is not None and self.local_id not in (None, "0")


def step_of(environ: Mapping[str, str]) -> Optional[Step]:
    """The step of a process with this environment; None outside of a job."""
    job_id = environ.get("SLURM_JOB_ID") or environ.get("SLURM_JOBID")
    if not job_id:
        return None
    return Step(job_id, environ.get("SLURM_STEP_ID"), environ.get("SLURM_LOCALID"), environ.get("SLURMD_NODENAME"))


def job_cgroup(cgroup: str) -> Optional[str]:
    """The job's own cgroup, of the text of ``/proc/PID/cgroup`` of one of its processes; None where Slurm makes none."""
    return next(filter(None, (_above_step(path.split("/")) for _, _, path in cgroup_rows(cgroup))), None)


def _above_step(parts: List[str]) -> Optional[str]:
    depth = next((depth for depth, part in enumerate(parts) if part.startswith("step_")), 0)
    return "/".join(parts[:depth]) if any("slurm" in part for part in parts[:depth]) else None
