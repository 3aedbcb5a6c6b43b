"""CPU time limits of control groups."""

import pytest

from numaaudit.model.sections.cpu_limits import CpuLimits

GROUP = "root/sys/fs/cgroup/work"
V1 = "root/sys/fs/cgroup/cpu,cpuacct/work"


def limits(host):
    return [(limit.path, limit.cpus, limit.throttled_share) for limit in host.section(CpuLimits).of_pid[101]]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({f"{GROUP}/cpu.max": "400000 100000\n"}, [("/work", 4.0, None)]),
        ({f"{GROUP}/cpu.max": "max 100000\n"}, []),
        ({f"{GROUP}/cpu.max": "nonsense\n"}, []),
        (
            {f"{GROUP}/cpu.max": "50000 100000\n", f"{GROUP}/cpu.stat": "usage_usec 1\nnr_periods 10\nnr_throttled 5\n"},
            [("/work", 0.5, 0.5)],
        ),
        (
            {f"{GROUP}/cpu.max": "400000 100000\n", "root/sys/fs/cgroup/cpu.max": "200000 100000\n"},
            [("/work", 4.0, None), ("/", 2.0, None)],
        ),
    ],
)
def test_the_limits_above_a_process(root, build, files, expected):
    assert limits(build(root("2p-2n-2g") | files)) == expected


@pytest.mark.parametrize(("quota", "expected"), [("200000", [("/work", 2.0, None)]), ("-1", [])])
def test_a_limit_of_version_1(root, build, quota, expected):
    files = {"root/proc/101/cgroup": "4:cpu,cpuacct:/work\n", f"{V1}/cpu.cfs_quota_us": f"{quota}\n", f"{V1}/cpu.cfs_period_us": "100000\n"}

    assert limits(build(root("2p-2n-2g") | files)) == expected


def test_the_limits_above_a_process_are_its_own_groups_first(root, build):
    files = {f"{GROUP}/cpu.max": "400000 100000\n", "root/sys/fs/cgroup/cpu.max": "200000 100000\n"}
    section = build(root("2p-2n-2g") | files).section(CpuLimits)

    assert [limit.path for limit in section.of_pid[101]] == ["/work", "/"]
    assert 7 not in section.of_pid
