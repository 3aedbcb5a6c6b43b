"""A command line given verbatim."""

import pytest

from numaaudit.core.errors import UsageError


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numactl -N 0 -m 0 python serve.py", ("0-3,8-11", "bind:0")),
        ("numactl --cpunodebind=1 --preferred=1 -- python -m vllm", ("4-7,12-15", "prefer:1")),
        ("numactl -C0-3 python x", ("0-3", "default")),
        ("numactl -C +1,2 --localalloc python", ("1-2", "local")),
        ("numactl --physcpubind !0-7 -i all python", ("8-15", "interleave:0-1")),
        ("numactl -m !0 -C all python", ("0-15", "bind:1")),
        ("/usr/bin/taskset -c 4-5 python", ("4-5", "default")),
        ("taskset 0x30 python", ("4-5", "default")),
        ("env A=b OMP_NUM_THREADS=4 taskset -c 1 python", ("1", "default")),
        ("taskset -c 0-3 numactl -N 1 python", ("4-7,12-15", "default")),
        ("numactl -m 0 taskset -c 4 python", ("4", "bind:0")),
        ("srun -n1 --cpu-bind=cores -c 2 python", ("0,8", "default")),
        ("srun --cpu-bind=verbose,map_cpu:5 --ntasks 1 -- numactl -l python", ("5", "local")),
        ("srun -m *:block --cpus-per-task=16 -n 1 python", ("0-15", "default")),
        ("srun --cpu-bind=map_cpu:0 taskset -c 4-5 python", ("4-5", "default")),
    ],
)
def test_wrappers_are_read_from_the_outermost(predict, two_packages, cpus, policies, line, expected):
    found = predict("command", two_packages, ranks=1, line=line)

    assert expected == (cpus(found)[0], policies(found)[0])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numactl -N $((LOCAL_RANK/2)) python", ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2),
        ("taskset -c ${SLURM_LOCALID} python", ["0", "1", "2", "3"]),
        ("taskset -c $((LOCAL_RANK*2)) python", ["0", "2", "4", "6"]),
        ("srun --distribution=block:block python", ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"]),
        ("python serve.py", ["as before"] * 4),
    ],
)
def test_variables_stand_for_the_rank(predict, two_packages, cpus, line, expected):
    assert expected == cpus(predict("command", two_packages, line=line))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("numactl -C 2-5 python", "numactl exits 1: cpu argument 2-5 is out of range"),
        ("numactl -C 0-3 -m 1 python", "numactl exits 1: node argument 1 is out of range"),
        ("numactl -N 7 python", "numactl exits 1: node argument 7 is out of range"),
        ("taskset -c 8-15 python", "taskset exits 1: failed to set affinity: Invalid argument"),
        ("taskset -c 0-1 numactl -C 2 python", "numactl exits 1: cpu argument 2 is out of range"),
    ],
)
def test_what_a_wrapper_refuses_ends_the_command(predict, two_packages, line, reason):
    found = predict("command", two_packages, "cpuset=0-3,mems=0", ranks=1, line=line)

    assert (reason, "refuses") == (found.prediction.reason, found.prediction.outcome.value)


def test_cpus_inside_a_range_that_are_not_allowed_are_dropped(predict, two_packages):
    found = predict("command", two_packages, "cpuset=0,3", ranks=1, line="numactl -C 0-3 python")

    assert ("0-3", "0,3") == (str(found.ranks[0].cpus), str(found.ranks[0].effective_cpus))


@pytest.mark.parametrize(
    "line",
    [
        "numactl -z 1 x",
        "numactl -C",
        "numactl -C a x",
        "numactl -N a x",
        "taskset -p 1 2",
        "taskset",
        "taskset x y",
        "'",
        "srun -n",
        "x $((LOCAL_RANK/0))",
    ],
)
def test_a_line_that_makes_no_sense_is_wrong_usage(predict, two_packages, line):
    with pytest.raises(UsageError):
        predict("command", two_packages, ranks=1, line=line)


def test_numa_nodes_of_a_device_are_not_known(predict, two_packages):
    assert [None] == [rank.cpus for rank in predict("command", two_packages, ranks=1, line="numactl -N netdev:eth0 x").ranks]


def test_the_line_is_needed(predict, two_packages):
    with pytest.raises(UsageError, match="command needs --set line="):
        predict("command", two_packages)
