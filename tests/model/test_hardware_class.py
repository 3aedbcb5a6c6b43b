"""Differences of hardware classes."""

from hypothesis import given
from hypothesis import strategies as st

from numaaudit.model.hardware_class import PARTS, HardwareClass, differences, same


def of(**parts):
    return HardwareClass(parts)


def told(a, b):
    return [(each.name, each.aspect, each.kind, each.expected, each.found) for each in differences(a, b)]


def test_a_value_that_differs():
    a, b = of(gpus={"0000:1b:00.0": {"numa_node": 0}}), of(gpus={"0000:1b:00.0": {"numa_node": 1}})

    assert told(a, b) == [("gpu:0000:1b:00.0", "numa_node", "differs", 0, 1)]


def test_missing_and_extra():
    a, b = of(gpus={"0000:1b:00.0": {"model": "H100"}}), of(gpus={"0000:5e:00.0": {"model": "H100", "numa_node": 1}})

    assert told(a, b) == [
        ("gpu:0000:1b:00.0", "", "missing", "H100", None),
        ("gpu:0000:5e:00.0", "", "extra", None, "H100, NUMA node 1"),
    ]


def test_unknown_parts_and_values():
    a = of(gpus={"0000:1b:00.0": {"numa_node": 0}}, settings={"host": {"numa_balancing": 0}})

    assert [each[:3] for each in told(a, of(gpus={"0000:1b:00.0": {"numa_node": None}}))] == [
        ("gpu:0000:1b:00.0", "numa_node", "unknown"),
        ("host", "", "unknown"),
    ]


def test_a_link_to_a_gpu_that_is_missing_is_not_told_twice():
    a = of(gpu_links={"A": {"link_to_B": "NV18"}, "B": {"pcie_width": 16}})

    assert [(each[0], each[2]) for each in told(a, of(gpu_links={"A": {}}))] == [("gpu:B", "missing")]


def test_a_cpu_that_is_offline_changes_no_numa_node():
    a = of(numa_nodes={"0": {"cpus": "0-3"}}, settings={"host": {"online_cpus": "0-3"}})
    b = of(numa_nodes={"0": {"cpus": "0-2"}}, settings={"host": {"online_cpus": "0-2"}})

    assert told(a, b) == [("host", "online_cpus", "differs", "0-3", "0-2")]


def test_numa_nodes_that_differ_are_told_as_they_are_listed():
    a = of(numa_nodes={"0": {"cpus": "0-3"}}, settings={"host": {"online_cpus": "0-3"}})
    b = of(numa_nodes={"0": {"cpus": "0-1"}, "1": {"cpus": "2-7", "memory_gib": 2.0}}, settings={"host": {"online_cpus": "0-7"}})

    assert told(a, b)[:2] == [
        ("numa_node:0", "cpus", "differs", "0-3", "0-1"),
        ("numa_node:1", "", "extra", None, "cpus 2-7, memory 2.0 GiB"),
    ]


def test_a_gpu_that_is_extra_is_told_once():
    b = of(gpus={"A": {"model": "H100"}}, gpu_links={"A": {"pcie_width": 16}})

    assert told(of(gpus={}, gpu_links={}), b) == [("gpu:A", "", "extra", None, "H100")]


def test_quantities_have_a_tolerance_and_numbers_have_none():
    assert [same(510.5, 503.0), same(510.5, 400.0), same(16.0, 16), same(16, 17)] == [True, False, True, False]


aspects = st.dictionaries(st.sampled_from(("model", "numa_node", "link_to_A")), st.none() | st.integers(0, 2))
classes = st.dictionaries(
    st.sampled_from(PARTS), st.none() | st.dictionaries(st.sampled_from(("A", "B", "0")), aspects, max_size=3), max_size=3
).map(HardwareClass)


@given(classes)
def test_a_class_is_like_itself(a):
    assert [each for each in differences(a, a) if each.kind != "unknown"] == []


@given(classes, classes)
def test_the_other_way_round_is_the_mirror(a, b):
    mirror = {"missing": "extra", "extra": "missing"}

    assert [(each.name, each.aspect, mirror.get(each.kind, each.kind), each.found, each.expected) for each in differences(a, b)] == [
        (each.name, each.aspect, each.kind, each.expected, each.found) for each in differences(b, a)
    ]
