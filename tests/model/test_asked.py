"""CPUs that a command line asks for."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.asked import cpus_of_argv
from numaaudit.model.sections.topology import Topology


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("numactl -C 0-1 python3 train.py", ("numactl", "0-1")),
        ("numactl --physcpubind=2,3 --membind=1 python3", ("numactl", "2-3")),
        ("/usr/bin/numactl --membind 1 --cpunodebind 1 python3", ("numactl", "2-3,6-7")),
        ("taskset -c 4 python3", ("taskset", "4")),
        ("numactl -N 1 taskset -c 4 python3", ("taskset", "4")),
        ("taskset -c 4 numactl -N 1 python3", ("numactl", "2-3,6-7")),
        ("numactl --membind=1 python3 -C 0-1", None),
        ("numactl -l python3 -C 0-1", None),
        ("numactl -C all python3", None),
        ("python3 -c 1", None),
    ],
)
def test_reads_numactl_and_taskset(host, command, expected):
    found = cpus_of_argv(tuple(command.split()), host("2p-2n-2g").section(Topology))

    assert found == (expected and (expected[0], CpuSet.parse(expected[1])))
