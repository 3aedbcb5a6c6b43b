"""Facts as sentences and JSON show them."""

import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.report.view import plain, singular, spoken


@pytest.mark.parametrize("shown", [plain, spoken])
def test_a_memory_policy_is_shown_as_the_kernel_prints_it(shown):
    assert shown(MemPolicy.parse("bind=static:0-1")) == "bind=static:0-1"


def test_in_json_a_set_is_a_list_of_ids_and_a_tuple_an_array():
    assert plain({1: (NodeSet((0, 1)), CpuSet(range(0, 16, 2)))}) == {"1": ["0-1", "0,2,4,6,8,10,12,14"]}


def test_in_a_sentence_every_second_cpu_is_said_short():
    assert spoken(CpuSet(range(0, 16, 2))) == "0-14:2"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("of NUMA nodes 0.", "of NUMA node 0."),
        ("on NUMA nodes 1, its GPU", "on NUMA node 1, its GPU"),
        ("of NUMA nodes 0-1", "of NUMA nodes 0-1"),
        ("of NUMA nodes 0,2", "of NUMA nodes 0,2"),
        ("of NUMA nodes 12,14", "of NUMA nodes 12,14"),
        ("on NUMA nodes 0, 0, 1", "on NUMA nodes 0, 0, 1"),
        ("the NUMA nodes with CPUs", "the NUMA nodes with CPUs"),
    ],
)
def test_one_numa_node_is_not_many(sentence, expected):
    assert singular(sentence) == expected
