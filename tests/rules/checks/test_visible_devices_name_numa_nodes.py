"""NA312: NUMA nodes taken for GPUs."""

import pytest

from numaaudit.rules.finding import Outcome

NODES = "root/sys/devices/system/node"
STATUS = "root/proc/driver/nvidia/gpus/0000:98:00.0/numa_status"
ENVIRON = "root/proc/101/environ"


@pytest.fixture
def entries(root):
    """NUMA node 2 is the memory of the GPU that hangs on NUMA node 1."""
    return root("2p-2n-2g") | {
        f"{NODES}/node2/cpulist": "\n",
        f"{NODES}/node2/meminfo": "Node 2 MemTotal: 97000000 kB\nNode 2 MemFree: 96000000 kB\n",
        STATUS: "Node: 2\nStatus: online\n",
    }


@pytest.fixture
def of(entries, build):
    return lambda value: build(entries | {ENVIRON: entries[ENVIRON] + f"CUDA_VISIBLE_DEVICES={value}\0"})


def test_silent_without_the_variable(entries, build, outcomes):
    assert outcomes(build(entries), "NA312") == {("host", "not_applicable")}


def test_names_the_gpu_whose_memory_was_taken_for_a_gpu(of, judge):
    (failure,) = judge(of("1,2"), "NA312")

    assert (failure.outcome, failure.subject) == (Outcome.FAIL, "rank:1")
    assert {name: failure.facts[name] for name in ("value", "number", "gpu", "num_gpus", "last_gpu")} == {
        "value": "1,2",
        "number": 2,
        "gpu": "0000:98:00.0",
        "num_gpus": 2,
        "last_gpu": 1,
    }
    assert [(each.path, each.text) for each in failure.evidence] == [
        (ENVIRON, "CUDA_VISIBLE_DEVICES=1,2"),
        (STATUS, "Node: 2"),
    ]


@pytest.mark.parametrize("value", ["0,1", "1", "0,7"])
def test_silent_for_gpus_and_for_numbers_that_are_no_numa_node(of, outcomes, value):
    assert outcomes(of(value), "NA312") == {("rank:1", "pass")}


@pytest.mark.parametrize("value", ["GPU-11111111-1111-2222-3333-444444444444", "", "none"])
def test_silent_for_what_is_no_number(of, outcomes, value):
    assert outcomes(of(value), "NA312") == {("host", "not_applicable")}


def test_silent_where_no_numa_node_is_a_gpus_memory(root, build, outcomes):
    entries = root("2p-2n-2g")

    assert outcomes(build(entries | {ENVIRON: entries[ENVIRON] + "CUDA_VISIBLE_DEVICES=0,1\0"}), "NA312") == {("rank:1", "pass")}


def test_unknown_where_no_gpu_is_known(entries, removed, build, outcomes):
    kept = removed(entries | {ENVIRON: entries[ENVIRON] + "CUDA_VISIBLE_DEVICES=0,2\0"}, "/pci/", "/driver/", "commands/", "pci0000")

    assert outcomes(build(kept), "NA312") == {("pid:101", "unknown")}
