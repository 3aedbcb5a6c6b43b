"""What can be asked of the CPUs and NUMA nodes of a host. Where the facts come from: test_told, test_kernel_cpus, test_kernel_numa."""

import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.sections.topology import Topology

NUMA_NODES = "root/sys/devices/system/node"


@pytest.fixture
def topology(host):
    return host("2p-2n-2g").section(Topology)


def with_distances(root, build, **changes):
    entries = root("2p-2n-2g")
    for number, row in enumerate(("10 21 12", "21 10 15", "12 15 10")):
        entries[f"{NUMA_NODES}/node{number}/distance"] = row
    entries |= {f"{NUMA_NODES}/node2/cpulist": "\n", f"{NUMA_NODES}/node2/meminfo": "Node 2 MemTotal: 1024 kB\nNode 2 MemFree: 1 kB\n"}
    return build(entries | changes).section(Topology)


def test_counts_are_those_of_the_online_cpus(topology):
    assert (str(topology.online), topology.num_packages, topology.cores, topology.threads_per_core) == ("0-7", 2, 4, 2)
    assert topology.isolated == CpuSet()


def test_which_numa_nodes_hold_some_of_these_cpus(topology):
    assert topology.numa_nodes_of(CpuSet.parse("1-2")) == NodeSet([0, 1])
    assert topology.cpus_of(NodeSet([1, 9])) == CpuSet.parse("2-3,6-7")


@pytest.mark.parametrize(("a", "b", "expected"), [("0", "1,5", True), ("0", "2", False), ("", "0", False)])
def test_two_sets_are_in_one_package_if_all_of_both_is(topology, a, b, expected):
    assert topology.same_package(CpuSet.parse(a), CpuSet.parse(b)) is expected


def test_the_nearest_node_is_by_distance_and_none_of_two_equally_near(root, build):
    topology = with_distances(root, build)

    assert topology.nearest_with_cpus(2).id == 0
    assert topology.nearest_with_memory(1, NodeSet([1])).id == 2
    assert with_distances(root, build, **{f"{NUMA_NODES}/node2/distance": "12 12 10"}).nearest_with_cpus(2) is None


def test_a_numa_node_with_cpus_is_its_own_nearest_without_distances(topology):
    assert topology._replace(distances=None).nearest_with_cpus(1).id == 1


def test_memory_without_cpus_goes_with_its_nearest_or_with_all_where_that_is_not_known(root, build):
    near = with_distances(root, build)
    open_to_both = with_distances(root, build, **{f"{NUMA_NODES}/node2/distance": "12 12 10"})

    assert [str(near.with_nearest_memory(NodeSet([number]))) for number in (0, 1)] == ["0,2", "1"]
    assert [str(open_to_both.with_nearest_memory(NodeSet([number]))) for number in (0, 1)] == ["0,2", "1-2"]


def test_what_numa_nodes_could_not_hold(host, build):
    topology, unknown = host("2p-2n-2g").section(Topology), build({f"{NUMA_NODES}/node0/cpulist": "0-1"}).section(Topology)
    one = 16384000 * 1024

    assert [topology.overflow(one + 5, NodeSet(numbers)) for numbers in ([0], [0, 1], [7])] == [5, 0, 0]
    assert unknown.overflow(one + 5, NodeSet([0])) == 0


def test_whether_placement_can_matter(host, build):
    one = {"root/sys/devices/system/cpu/online": "0-1", f"{NUMA_NODES}/node0/cpulist": "0-1", f"{NUMA_NODES}/node1/cpulist": ""}
    unknown = one | {f"{NUMA_NODES}/node1/cpulist": "x"}

    asked = [each.section(Topology) for each in (host("2p-2n-2g"), build(one), build(unknown))]
    assert [(each.has_several_cpu_nodes(), each.has_one_cpu_node()) for each in asked] == [(True, False), (False, True), (False, False)]


def test_the_only_node_is_one_of_a_source_that_lists_all(build):
    matrix = '<system version="1">\n<cpu numaid="0" affinity="3" arch="x86_64"/>\n</system>\n'
    lscpu = "Architecture: x86_64\nCPU(s): 2\nOn-line CPU(s) list: 0,1\nNUMA node(s): 1\nNUMA node0 CPU(s): 0,1\n"

    assert [build({"pasted/x": text}).section(Topology).only_numa_node() is None for text in (matrix, lscpu)] == [True, False]
