"""NA311: numactl was given NUMA nodes without CPUs or memory."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

NODES = "root/sys/devices/system/node"
REFUSED = "numa_sched_setaffinity_v2_int() failed: Invalid argument\nsched_setaffinity: Invalid argument\n"


@pytest.fixture
def entries(root):
    """NUMA node 2 is the memory of the GPU that hangs on NUMA node 1; NUMA node 3 is empty."""
    return root("2p-2n-2g") | {
        f"{NODES}/node2/cpulist": "\n",
        f"{NODES}/node2/meminfo": "Node 2 MemTotal: 97000000 kB\nNode 2 MemFree: 96000000 kB\n",
        f"{NODES}/node3/cpulist": "\n",
        f"{NODES}/node3/meminfo": "Node 3 MemTotal: 0 kB\nNode 3 MemFree: 0 kB\n",
        f"{NODES}/node0/distance": "10 21 80 80\n",
        f"{NODES}/node1/distance": "21 10 80 80\n",
        f"{NODES}/node2/distance": "80 80 10 80\n",
        f"{NODES}/node3/distance": "40 80 80 10\n",
        "root/proc/driver/nvidia/gpus/0000:98:00.0/numa_status": "Node: 2\nStatus: online\n",
    }


@pytest.fixture
def of(entries, build):
    return lambda log: build(entries | {"logs/server.log": log})


def test_silent_without_command_lines(entries, build, outcomes):
    assert outcomes(build(entries), "NA311") == {("host", "not_applicable")}


def test_silent_where_cpus_and_memory_are_there(of, outcomes):
    host = of("worker 0: numactl --cpunodebind=0 --membind=0,2 python a.py\n")

    assert outcomes(host, "NA311") == {("numa_node:0", "pass"), ("numa_node:2", "pass")}


def test_names_the_memory_of_a_gpu_and_the_numa_node_that_was_meant(of, judge):
    (failure,) = judge(of("worker 1: numactl --cpunodebind=2 --membind=2 python a.py\n" + REFUSED), "NA311")

    assert (failure.outcome, failure.subject, failure.severity, failure.message) == (Outcome.FAIL, "numa_node:2", Severity.HIGH, "gpu")
    assert (failure.facts["gpu"], str(failure.facts["gpu_numa_node"]), failure.related) == ("0000:98:00.0", "1", ("gpu:0000:98:00.0",))
    assert [(each.path, each.line) for each in failure.evidence] == [
        ("logs/server.log", 1),
        ("logs/server.log", 2),
        (f"{NODES}/node2/cpulist", 1),
    ]


def test_medium_where_no_error_follows(of, judge):
    (failure,) = judge(of("numactl -N 3 python a.py\n"), "NA311")

    assert (failure.subject, failure.severity, failure.message, str(failure.facts["gpu_numa_node"])) == ("numa_node:3", None, None, "0")


def test_memory_of_a_numa_node_without_any(of, outcomes):
    assert outcomes(of("numactl -N 0 -m 3 python a.py\n"), "NA311") == {("numa_node:0", "pass"), ("numa_node:3", "fail")}


def test_silent_where_part_of_the_set_has_cpus(of, outcomes):
    assert outcomes(of("numactl -N 0,2 python a.py\n"), "NA311") == {("numa_node:0", "pass"), ("numa_node:2", "pass")}


@pytest.mark.parametrize("wanted", ["9", "2,9"])
def test_a_numa_node_that_is_not_there_is_another_fault(of, outcomes, wanted):
    assert outcomes(of(f"numactl -N {wanted} python a.py\n"), "NA311") == {("host", "not_applicable")}


def test_unknown_where_its_memory_is_not_known(entries, build, outcomes):
    host = build({path: entry for path, entry in entries.items() if "node3/meminfo" not in path} | {"logs/server.log": "numactl -m 3 a\n"})

    assert outcomes(host, "NA311") == {("numa_node:3", "unknown")}


NO_MEMORY = {"root/sys/devices/system/node/node1/meminfo": "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n"}
OUT_OF_RANGE = "$ numactl --cpunodebind=1 ./worker\nlibnuma: Warning: node argument 1 is out of range\n<1> is invalid\n"


def test_cpus_beside_no_memory_are_refused_by_libnuma(root, build, judge):
    (failure,) = judge(build(root("2p-2n-2g") | NO_MEMORY | {"logs/a.log": OUT_OF_RANGE}), "NA311")

    assert (failure.subject, failure.severity, failure.message) == ("numa_node:1", Severity.HIGH, "no memory")
    assert [line.text for line in failure.evidence[:2]] == OUT_OF_RANGE.splitlines()[:2]


def test_cpus_beside_no_memory_that_were_not_refused_are_silent(root, build, outcomes):
    host = build(root("2p-2n-2g") | NO_MEMORY | {"logs/a.log": OUT_OF_RANGE.splitlines()[0] + "\nready\n"})

    assert outcomes(host, "NA311") == {("numa_node:1", "pass")}


def test_a_refusal_for_another_reason_is_not_about_memory(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {"logs/a.log": OUT_OF_RANGE}), "NA311") == {("numa_node:1", "pass")}
