"""Where each source puts a GPU."""

from numaaudit.bundle.tree import Gap
from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.devices import Devices

PCI, UB = "root/sys/bus/pci/devices", "root/sys/class/ubcore"
LSCPU = "Architecture: x86_64\nCPU(s): 16\nOn-line CPU(s) list: 0-15\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-7\nNUMA node1 CPU(s): 8-15\n\n"
MATRIX = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tSYS\t{}\t{}\t\tN/A\nGPU1\tSYS\t X \t8-15\t1\t\tN/A\n\n"
NPUS = "\t   NPU0       NPU1       CPU Affinity\nNPU0       X          HCCS       0-7\nNPU1       HCCS       X          8-15\n\n"
ROCM = """\
======== ROCm System Management Interface ========
======== Numa Nodes ========
GPU[0]\t\t: (Topology) Numa Node: 1
GPU[0]\t\t: (Topology) Numa Affinity: {}
======== End of ROCm SMI Log ========
"""
NUMA_NODES = {
    "root/sys/devices/system/cpu/online": "0-3",
    "root/sys/devices/system/node/node0/cpulist": "0-1",
    "root/sys/devices/system/node/node1/cpulist": "2-3",
}


def function(address="0000:1b:00.0", vendor="0x10de", numa_node="0", **more):
    files = {"class": "0x030200", "vendor": vendor, "device": "0x2330", "numa_node": numa_node, **more}
    return {f"{PCI}/{address}/{name}": f"{text}\n" for name, text in files.items()}


def devices(build, *parts):
    entries = {}
    for part in parts:
        entries |= {"pasted/paste.txt": part} if isinstance(part, str) else part
    return build(entries).section(Devices)


def placed(found, number=0):
    gpu = found.gpus[number]
    return gpu.numa_node, gpu.numa_node_source, str(gpu.local_cpus)


def test_a_matrix_tells_numa_node_and_cpus_and_the_row_is_the_evidence(build):
    found = devices(build, LSCPU + MATRIX.format("0-7", "0"))

    assert [placed(found, number) for number in (0, 1)] == [(0, "nvidia-smi", "0-7"), (1, "nvidia-smi", "8-15")]
    assert [line.line for gpu in found.gpus for line in gpu.evidence] == [9, 10]


def test_a_printed_list_of_nodes_is_kept_and_names_none_of_them(build):
    found = devices(build, LSCPU + MATRIX.format("0-15", "0-1"))

    assert (found.gpus[0].numa_node, found.gpus[0].numa_nodes) == (None, NodeSet([0, 1]))


def test_of_a_printed_list_the_one_node_with_cpus_is_meant(build):
    found = devices(build, LSCPU + MATRIX.format("0-7", "0,2-9").replace("8-15\t1", "8-15\t1,10-17"), NUMA_NODES | {
        f"root/sys/devices/system/node/node{number}/cpulist": "" for number in range(2, 18)
    })  # fmt: skip

    assert [gpu.numa_node for gpu in found.gpus] == [0, 1]


def test_na_is_unknown_and_not_node_0(build):
    found = devices(build, LSCPU + MATRIX.format("0-7", "N/A"))

    assert placed(found) == (None, None, "0-7")
    assert found.gpus[0].gap in found.gaps


def test_on_a_host_with_one_node_it_is_that_one(build):
    text = "available: 1 nodes (3)\nnode 3 cpus: 0 1\nnode 3 size: 1 MB\nnode 3 free: 1 MB\n\n" + MATRIX.format("0-1", "N/A")

    assert placed(devices(build, text)) == (3, "derived", "0-1")


def test_sysfs_is_believed_before_nvidia_smi_and_the_difference_is_a_conflict(build):
    both = {**function(local_cpulist="0-1"), **function("0000:2c:00.0", numa_node="1", local_cpulist="2-3")}
    found = devices(build, NUMA_NODES, both, MATRIX.format("2-3", "1"))

    assert placed(found) == (0, "sysfs", "0-1")
    assert found.conflicts == (Conflict("gpu:0000:1b:00.0", "numa_node", ((0, "sysfs"), (1, "nvidia-smi"))),)


def test_a_list_that_the_tool_ended_early_is_marked_and_loses(build):
    found = devices(build, MATRIX.format("0,2,4,6,8,10,12", "0"))

    assert str(found.gpus[0].local_cpus) == "0,2,4,6,8,10,12"
    assert Gap("cut", "pasted/paste.txt", "nvidia-smi ends the CPU list of GPU 0 early") in found.gaps

    both = {**function(local_cpulist="0-62:2"), **function("0000:2c:00.0", numa_node="1")}
    assert str(devices(build, both, MATRIX.format("0,2,4,6,8,10,12", "0")).gpus[0].local_cpus).startswith("0,2,4,6,8,10,12,14,")


def test_a_node_of_minus_1_is_taken_from_the_nearest_bridge_that_has_one(build):
    path = "root/sys/devices/pci0000:16/0000:16:01.0"
    files = {"class": "0x030200", "vendor": "0x10de", "device": "0x2330", "numa_node": "-1", "local_cpulist": "0-3"}
    entries = {f"{path}/0000:1b:00.0/{name}": text for name, text in files.items()}
    entries |= {f"{path}/class": "0x060400", f"{path}/numa_node": "1"}
    entries |= {f"{PCI}/0000:1b:00.0": "@../../../devices/pci0000:16/0000:16:01.0/0000:1b:00.0"}
    entries |= {f"{PCI}/0000:16:01.0": "@../../../devices/pci0000:16/0000:16:01.0"}

    assert placed(devices(build, NUMA_NODES, entries)) == (1, "derived", "0-3")


def test_else_by_the_cpus_that_are_local_to_it_if_they_are_those_of_one_node(build):
    assert placed(devices(build, NUMA_NODES, function(numa_node="-1", local_cpulist="2-3"))) == (1, "local-cpus", "2-3")
    assert placed(devices(build, NUMA_NODES, function(numa_node="-1", local_cpulist="0-3"))) == (None, None, "0-3")


def test_rocm_smis_affinity_is_the_kernels_number_and_its_node_is_not(build):
    assert placed(devices(build, ROCM.format(0))) == (0, "rocm-smi", "None")
    assert placed(devices(build, ROCM.format(-1))) == (None, None, "None")


def test_an_npu_is_where_its_local_cpus_are(build):
    found = devices(build, LSCPU + NPUS)

    assert [placed(found, number) for number in (0, 1)] == [(0, "npu-smi", "0-7"), (1, "npu-smi", "8-15")]


def ub(*numbers):
    return {f"{UB}/udma{number}/device/numa": f"{text}\n" for number, text in enumerate(numbers)} | {
        f"root/dev/davinci{number}": "" for number in range(len(numbers))
    }


def test_the_unified_buss_number_is_folded_and_a_guess(build):
    found = devices(build, ub(0, 0, 3, 2))

    assert [placed(found, number)[:2] for number in range(4)] == [(0, "derived"), (1, "derived"), (2, "derived"), (3, "derived")]
    assert {gpu.numa_node_confidence for gpu in found.gpus} == {Confidence.POSSIBLE}
    assert found.gpus[2].evidence[0].path == f"{UB}/udma2/device/numa"


def test_an_entry_of_the_bus_without_a_number_is_not_counted(build):
    found = devices(build, ub("x", 2) | {"root/dev/davinci1": ""})

    assert [gpu.numa_node for gpu in found.gpus] == [2, None]


def test_npu_smi_is_believed_before_the_bus_and_the_difference_is_a_conflict(build):
    found = devices(build, LSCPU + NPUS, ub(0, 2))

    assert [placed(found, number)[:2] for number in (0, 1)] == [(0, "npu-smi"), (1, "npu-smi")]
    assert found.gpus[0].numa_node_confidence is Confidence.CERTAIN
    assert found.conflicts == (Conflict("gpu:#1", "numa_node", ((1, "npu-smi"), (3, "derived"))),)


def test_kfds_nodes_with_cpus_are_the_kernels_in_order(build):
    folder = "root/sys/class/kfd/kfd/topology/nodes"
    entries = {f"{folder}/{number}/properties": "cpu_cores_count 2\nsimd_count 0\n" for number in (0, 1)}
    entries |= {f"{folder}/2/properties": "cpu_cores_count 0\nsimd_count 4\nvendor_id 4098\nlocation_id 6912\ndomain 0\n"}
    entries |= {
        f"{folder}/2/io_links/{to}/properties": f"type 2\nnode_from 2\nnode_to {to}\nweight {weight}\n" for to, weight in ((0, 40), (1, 20))
    }
    nodes = {"root/sys/devices/system/node/node0/cpulist": "0-1", "root/sys/devices/system/node/node4/cpulist": "2-3"}

    assert placed(devices(build, nodes, entries))[:2] == (4, "kfd")


def test_hwloc_and_nccl_put_it_below_a_numa_node(build):
    nccl = (
        '<system version="1">\n<cpu numaid="1" affinity="c" arch="x86_64">\n<pci busid="0000:1b:00.0" class="0x030200">'
        '<gpu dev="0"/></pci>\n</cpu>\n</system>\n'
    )
    hwloc = (
        '<topology version="2.0"><object type="Machine" cpuset="0xf" nodeset="0x3">'
        '<object type="NUMANode" os_index="0" cpuset="0x3"/><object type="NUMANode" os_index="1" cpuset="0xc"/>'
        '<object type="Group" cpuset="0xc" nodeset="0x2">\n'
        '<object type="PCIDev" pci_busid="0000:1b:00.0" pci_type="0302 [10de:2330] [0000:0000] 00"/></object></object></topology>'
    )

    assert placed(devices(build, nccl)) == (1, "nccl-xml", "2-3")
    found = devices(build, hwloc)
    assert placed(found) == (1, "hwloc-xml", "2-3")
    assert found.gpus[0].evidence[0].line == 2
