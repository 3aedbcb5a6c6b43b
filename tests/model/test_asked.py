"""CPUs that a command line asks for."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.asked import cpus_of_argv, cpus_of_environ
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


@pytest.mark.parametrize(
    ("kind", "masks", "local_rank", "expected"),
    [
        ("mask_cpu:", "0x0F,0xF0", "1", "4-7"),
        ("mask_cpu:", "0x0F,0xF0", "2", "0-3"),
        ("mask_cpu:", "0x0F", "", None),
        ("mask_cpu:", "0x00", "0", None),
        ("mask_cpu:", "junk", "0", None),
        ("mask_cpu:", "", "0", None),
        ("map_cpu:", "3,4", "0", None),
        ("none", "", "0", None),
        ("mask_cpu:", "0x0F", "-1", None),
        ("mask_cpu:", "0x0F", "9" * 5000, None),
    ],
)
def test_reads_the_mask_that_srun_chose(kind, masks, local_rank, expected):
    found = cpus_of_environ({"SLURM_CPU_BIND_TYPE": kind, "SLURM_CPU_BIND_LIST": masks, "SLURM_LOCALID": local_rank})

    assert found == (expected and CpuSet.parse(expected))
