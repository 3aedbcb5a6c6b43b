"""What the cgroups above a job give it (cgroup v2)."""

from evidence import Evidence
from host_shape import HostShape
from process_files import Job

_TOP = "sys/fs/cgroup"
_CONTROLLERS = "cpuset cpu io memory hugetlb pids rdma misc"


def add_cgroups(evidence: Evidence, shape: HostShape, job: Job) -> None:
    """The root, then each cgroup down to the job's own; a set that nobody wrote is empty and means the parent's."""
    cpus, mems = shape.online, f"0-{len(shape.numa_nodes) - 1}"
    usage = {"cpu.stat": _cpu_stat(), "memory.numa_stat": _numa_stat(shape, job)}
    common = {"cgroup.controllers": _CONTROLLERS, "cgroup.subtree_control": _CONTROLLERS, "cpuset.mems.effective": mems, **usage}
    evidence.files("cgroup_limits", _TOP, {**common, "cpuset.cpus.effective": cpus})
    for cgroup in job.cgroups:
        cpus &= cgroup.cpus or cpus
        evidence.files("cgroup_limits", f"{_TOP}/{cgroup.path}", {
            **common, "cgroup.type": "domain", "cpuset.cpus": cgroup.cpus or "", "cpuset.cpus.effective": cpus, "cpuset.mems": "",
            "cpuset.cpus.partition": "member", "cpu.max": "max 100000", "cpu.weight": 100,
            "memory.max": "max", "memory.high": "max", "memory.current": sum(_anon_bytes(shape, job).values()) * 9 // 8,
        })  # fmt: skip


def _cpu_stat() -> str:
    times = {"usage_usec": 15_482_113_004, "user_usec": 13_903_887_120, "system_usec": 1_578_225_884}
    rows = {**times, "nr_periods": 0, "nr_throttled": 0, "throttled_usec": 0}
    return "\n".join(f"{key} {value}" for key, value in rows.items())


def _numa_stat(shape: HostShape, job: Job) -> str:
    anon = _anon_bytes(shape, job)
    rows = {"anon": anon, "file": dict.fromkeys(anon, 2 << 30), "shmem": {number: amount // 4 for number, amount in anon.items()}}
    return "\n".join(f"{key} " + " ".join(f"N{number}={amount}" for number, amount in amounts.items()) for key, amounts in rows.items())


def _anon_bytes(shape: HostShape, job: Job) -> dict[int, int]:
    return {number: sum(rank.mib_by_numa_node.get(number, 0) for rank in job.ranks) << 20 for number in shape.numa_nodes}
