"""NUMA nodes as the kernel lists them."""

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_numa import Distances, kind_of
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.topology import Topology

NUMA_NODES, CPU = "root/sys/devices/system/node", "root/sys/devices/system/cpu"


def numa_node(number, cpulist=None, kib=None, distance=None, cpumap=None):
    meminfo = None if kib is None else f"Node {number} MemTotal: {kib} kB\nNode {number} MemFree: 0 kB\n"
    files = {"cpulist": cpulist, "cpumap": cpumap, "meminfo": meminfo, "distance": distance}
    return {f"{NUMA_NODES}/node{number}/{name}": f"{text}\n" for name, text in files.items() if text is not None}


def topology(build, *entries):
    return build({path: text for each in ({f"{CPU}/online": "0-3\n"}, *entries) for path, text in each.items()}).section(Topology)


def test_ids_may_have_holes_and_distances_are_by_what_is_online(build):
    found = topology(build, numa_node(0, "0-3", 1024, "10 21"), numa_node(8, "", 1024, "21 10"))

    assert [(each.id, each.cpus, each.memory_bytes, each.kind) for each in found.numa_nodes] == [
        (0, CpuSet.parse("0-3"), 1 << 20, "cpu"),
        (8, CpuSet(), 1 << 20, "memory-only"),
    ]
    assert found.distances == Distances((0, 8), ((10, 21), (21, 10)))


def test_cpus_that_are_offline_are_cut(build):
    assert topology(build, numa_node(0, "0-140", 1)).numa_nodes[0].cpus == CpuSet.parse("0-3")


def test_a_list_and_a_mask_that_differ_are_a_conflict_and_the_list_is_used(build):
    found = topology(build, numa_node(0, "0-1", 1, cpumap="f"))

    assert found.numa_nodes[0].cpus == CpuSet.parse("0-1")
    assert found.conflicts == (Conflict("numa_node:0", "cpus", (("0-1", "cpulist"), ("0-3", "cpumap"))),)


def test_links_to_cpus_stand_in_for_a_missing_list(build):
    entries = numa_node(0, None, 1) | {f"{NUMA_NODES}/node0/cpu{number}/topology/core_id": "0" for number in (1, 2)}
    found = topology(build, entries)

    assert found.numa_nodes[0].cpus == CpuSet.parse("1-2")
    assert f"{NUMA_NODES}/node0/cpulist" in [gap.path for gap in found.gaps]


def test_memory_that_no_file_tells_is_unknown_and_a_gap(build):
    found = topology(build, numa_node(0, "0-3"))

    assert (found.numa_nodes[0].memory_bytes, found.numa_nodes[0].kind) == (None, None)
    assert f"{NUMA_NODES}/node0/meminfo" in [gap.path for gap in found.gaps]


def test_rows_of_another_width_are_no_distances(build):
    found = topology(build, numa_node(0, "0-3", 1, "10 20 30"))

    assert found.distances is None
    assert ("unparsable", f"{NUMA_NODES}/node0/distance") in [(gap.kind, gap.path) for gap in found.gaps]


def test_the_evidence_is_the_line_with_its_cpus(build):
    [line] = topology(build, numa_node(0, "0-3", 1)).numa_nodes[0].evidence

    assert (line.path, line.line, line.text) == (f"{NUMA_NODES}/node0/cpulist", 1, "0-3")


def test_a_kernel_without_numa_has_no_node_and_a_gap(build):
    found = topology(build)

    assert found.numa_nodes == ()
    assert [gap.reason for gap in found.gaps if gap.path == NUMA_NODES] == ["the kernel exports no NUMA nodes"]


def test_what_a_numa_node_is_depends_on_what_it_has():
    cpus, none = CpuSet([0]), CpuSet()

    assert [kind_of(cpus, 1), kind_of(cpus, 0), kind_of(none, 1), kind_of(none, 0)] == ["cpu", "cpu-only", "memory-only", "empty"]
    assert [kind_of(None, 1), kind_of(cpus, None)] == [None, None]
