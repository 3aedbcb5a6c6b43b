"""Several sources about one host: who is believed, and what counts as a contradiction."""

import pytest

from numaaudit.model.pick import Conflict
from numaaudit.model.sections.topology import Topology

CPU, NUMA_NODES = "root/sys/devices/system/cpu", "root/sys/devices/system/node"
KERNEL = {
    f"{CPU}/online": "0-3\n",
    f"{NUMA_NODES}/node0/cpulist": "0-1\n",
    f"{NUMA_NODES}/node1/cpulist": "2-3\n",
    f"{NUMA_NODES}/node0/distance": "10 21\n",
    f"{NUMA_NODES}/node1/distance": "21 10\n",
}
HARDWARE = """\
available: 2 nodes (0-1)
node 0 cpus: {0}
node 0 size: 1000 MB
node 0 free: 900 MB
node 1 cpus: {1}
node 1 size: 1000 MB
node 1 free: 900 MB
node distances:
node   0   1
  0:  10  {2}
  1:  {2}  10
"""


def topology(build, hardware="", kernel=KERNEL, **more):
    return build(
        kernel | {"commands/numactl_--hardware.out": hardware} | {f"commands/{name}.out": text for name, text in more.items()}
    ).section(Topology)


def test_the_kernel_is_believed_and_a_tool_adds_what_it_lacks(build):
    found = topology(build, HARDWARE.format("0 1", "2 3", 21))

    assert [(each.source, str(each.cpus), each.memory_bytes) for each in found.numa_nodes] == [
        ("sysfs", "0-1", 1000 << 20),
        ("sysfs", "2-3", 1000 << 20),
    ]
    assert found.conflicts == ()


def test_other_cpus_are_a_contradiction(build):
    found = topology(build, HARDWARE.format("0 1 2", "3", 21))

    assert found.conflicts == (Conflict("numa_node:0", "cpus", (("0-1", "sysfs"), ("0-2", "numactl"))),)


@pytest.mark.parametrize("cpus", ["0", "0 1 7"])
def test_fewer_cpus_or_such_that_are_offline_are_none(build, cpus):
    assert topology(build, HARDWARE.format(cpus, "2", 21)).conflicts == ()


def test_other_distances_are_a_contradiction(build):
    found = topology(build, HARDWARE.format("0 1", "2 3", 32))

    assert found.distances.between(0, 1) == 21
    assert found.conflicts == (Conflict("numa_node:0", "distance to 1", ((21, "sysfs"), (32, "numactl"))),)


def test_tools_add_to_each_other_where_there_is_no_kernel(build):
    lscpu = "Architecture: x86_64\nCPU(s): 4\nOn-line CPU(s) list: 0-3\nNUMA node(s): 1\nNUMA node0 CPU(s): 0-3\n"
    found = topology(build, "available: 1 nodes (0)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 5 MB\nnode 0 free: 4 MB\n", {}, lscpu=lscpu)

    assert (str(found.online), found.numa_nodes[0].source, found.numa_nodes[0].memory_bytes) == ("0-3", "numactl", 5 << 20)
    assert (found.only_numa_node(), found.conflicts) == (found.numa_nodes[0], ())


def test_a_table_that_lacks_rows_is_cut_and_not_used(build):
    text = HARDWARE.format("0 1", "2 3", 21) + "\nCPU NODE SOCKET CORE\n  0    0      0    0\n  1    0      0    1\n"
    found = build({"pasted/paste.txt": text}).section(Topology)

    assert (found.online, found.cores, found.packages) == (None, None, ())
    assert [gap.reason for gap in found.gaps if gap.kind == "cut"] == ["lscpu's table lacks CPUs"]


def test_a_table_of_which_the_command_shows_a_part_is_not_used(build):
    found = build({"pasted/paste.txt": "$ lscpu -e | head -2\nCPU NODE SOCKET CORE\n  0    0      0    0\n"}).section(Topology)

    assert (found.online, found.numa_nodes) == (None, ())
