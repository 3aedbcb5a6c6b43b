"""What tools say of CPUs and NUMA nodes where the kernel's files are not there."""

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_cpus import Package
from numaaudit.model.kernel_numa import Distances
from numaaudit.model.sections.topology import Topology

LSCPU = """\
Architecture:            x86_64
CPU(s):                  8
  On-line CPU(s) list:   0-5
  Off-line CPU(s) list:  6,7
Thread(s) per core:      1
Core(s) per socket:      3
Socket(s):               2
NUMA node(s):            2
NUMA node0 CPU(s):       0-2,6
NUMA node1 CPU(s):       3-5,7
"""
BOOKS = """\
CPU op-mode(s):      32-bit, 64-bit
CPU(s):              4
On-line CPU(s) list: 0-3
Thread(s) per core:  1
Core(s) per socket:  8
Socket(s) per book:  3
Book(s) per drawer:  2
Drawer(s):           4
NUMA node(s):        1
NUMA node0 CPU(s):   0-140
"""
KINDS_OF_CORE = """\
Architecture:        aarch64
CPU(s):              6
On-line CPU(s) list: 0-5
Model name:          Little
Thread(s) per core:  1
Core(s) per cluster: 4
Core(s) per socket:  4
Socket(s):           1
Model name:          Big
Thread(s) per core:  1
Core(s) per socket:  2
Socket(s):           1
"""
TABLE = """\
CPU NODE SOCKET CORE ONLINE
  0    0      0    0    yes
  1    0      0    0    yes
  2    1      1    1    yes
  3    1      1    1    yes
  4    -      -    -     no
"""
HARDWARE = """\
available: 2 nodes (0,2)
node 0 cpus: 0 1
node 0 size: 1000 MB
node 0 free: 900 MB
node 2 cpus:
node 2 size: 2000 MB
node 2 free: 1999 MB
node distances:
node   0   2
  0:  10  17
  2:  17  10
"""
NUMASTAT = """\
                           node0           node4
numa_hit                     100               9
numa_miss                      0               0
numa_foreign                   0               0
interleave_hit                 1               1
local_node                    99               8
other_node                     1               1
"""
HWLOC = """\
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f" nodeset="0x00000107">
    <object type="Package" os_index="1" cpuset="0x0000000f" complete_cpuset="0x0000001f" nodeset="0x00000107">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" nodeset="0x00000001" local_memory="4096"/>
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x00000002" local_memory="4096"/>
      <object type="NUMANode" os_index="2" cpuset="0x0000000f" nodeset="0x00000004" local_memory="8192" subtype="HBM"/>
      <object type="NUMANode" os_index="8" cpuset="0x0000000c" nodeset="0x00000100" local_memory="8192" subtype="GPUMemory"/>
      <object type="Core" os_index="0" cpuset="0x00000003" nodeset="0x00000001"/>
      <object type="Core" os_index="1" cpuset="0x0000000c" nodeset="0x00000002"/>
    </object>
  </object>
</topology>
"""
NCCL = """\
<system version="1">
  <cpu numaid="1" affinity="0000000c" arch="x86_64"/>
  <cpu numaid="-1" affinity="0000000f" arch="x86_64"/>
  <cpu numaid="0" affinity="00000003" arch="x86_64"/>
</system>
"""


def topology(build, text):
    return build({"pasted/paste.txt": text}).section(Topology)


def numa_nodes(found):
    return {each.id: (each.cpus if each.cpus is None else str(each.cpus), each.memory_bytes, each.kind) for each in found.numa_nodes}


def counts(found):
    return (found.num_packages, found.cores, found.threads_per_core)


def test_lscpu_tells_counts_and_the_cpus_of_numa_nodes(build):
    found = topology(build, LSCPU)

    assert (str(found.online), str(found.present), counts(found)) == ("0-5", "0-7", (2, 6, 1))
    assert numa_nodes(found) == {0: ("0-2", None, None), 1: ("3-5", None, None)}
    assert [line.line for each in found.numa_nodes for line in each.evidence] == [9, 10]
    assert found.is_complete


def test_books_and_drawers_are_room_for_sockets_and_no_sockets(build):
    found = topology(build, BOOKS)

    assert counts(found) == (None, None, 1)
    assert numa_nodes(found) == {0: ("0-3", None, None)}


def test_kinds_of_core_are_added_up(build):
    assert counts(topology(build, KINDS_OF_CORE)) == (2, 6, None)


def test_rows_of_lscpu_tell_packages_without_their_ids(build):
    found = topology(build, TABLE)

    assert (str(found.online), str(found.present), counts(found)) == ("0-3", "0-4", (2, 2, 2))
    assert found.packages == (Package(None, CpuSet.parse("0-1")), Package(None, CpuSet.parse("2-3")))
    assert numa_nodes(found) == {0: ("0-1", None, None), 1: ("2-3", None, None)}


def test_a_hyphen_in_a_column_is_unknown(build):
    found = topology(build, "CPU NODE SOCKET\n  0    -      0\n  1    -      0\n")

    assert (numa_nodes(found), str(found.online)) == ({}, "0-1")


def test_numactl_tells_memory_and_distances(build):
    found = topology(build, HARDWARE)

    assert numa_nodes(found) == {0: ("0-1", 1000 << 20, "cpu"), 2: ("", 2000 << 20, "memory-only")}
    assert found.distances == Distances((0, 2), ((10, 17), (17, 10)))
    assert (found.online, found.has_one_cpu_node()) == (None, True)


def test_a_numactl_that_was_cut_names_nodes_it_does_not_describe(build):
    found = topology(build, "\n".join(HARDWARE.splitlines()[:4]))

    assert numa_nodes(found) == {0: ("0-1", 1000 << 20, "cpu"), 2: (None, None, None)}
    assert (found.is_complete, found.has_one_cpu_node(), found.only_numa_node()) == (False, False, None)


def test_numastat_tells_which_nodes_there_are_and_nothing_of_cpus(build):
    found = topology(build, NUMASTAT)

    assert numa_nodes(found) == {0: (None, None, None), 4: (None, None, None)}
    assert not found.is_complete


def test_numastat_m_tells_memory(build):
    text = (
        "Per-node system memory usage (in MBs):\n                 Node 0   Node 1    Total\n"
        "MemTotal        1000.00  2000.00  3000.00\nMemFree           10.50    20.00    30.50\n"
    )
    found = topology(build, text)

    assert [(each.memory_bytes, each.free_bytes) for each in found.numa_nodes] == [(1000 << 20, 21 << 19), (2000 << 20, 20 << 20)]


def test_hwloc_prints_the_nearest_cpus_for_memory_that_has_none(build):
    found = topology(build, HWLOC)

    assert numa_nodes(found) == {
        0: ("0-1", 4096, "cpu"),
        1: ("2-3", 4096, "cpu"),
        2: ("", 8192, "memory-only"),
        8: ("", 8192, "gpu-memory"),
    }
    assert (str(found.online), str(found.present), counts(found)) == ("0-3", "0-4", (1, 2, 2))
    assert found.packages == (Package(1, CpuSet.parse("0-3")),)
    assert [line.line for each in found.numa_nodes for line in each.evidence] == [4, 5, 6, 7]


def test_of_two_nodes_with_the_same_cpus_the_first_has_them(build):
    text = HWLOC.replace(
        'cpuset="0x0000000f" nodeset="0x00000004" local_memory="8192" subtype="HBM"', 'cpuset="0x00000003" local_memory="1"'
    )

    assert numa_nodes(topology(build, text))[2] == ("", 1, "memory-only")


def test_nccl_tells_the_nodes_of_a_jobs_devices_only(build):
    found = topology(build, NCCL)

    assert numa_nodes(found) == {0: ("0-1", None, None), 1: ("2-3", None, None)}
    assert [line.line for each in found.numa_nodes for line in each.evidence] == [4, 2]
    assert (found.online, found.is_complete) == (None, False)
