"""GPUs that share the memory of their NUMA node."""

import pytest

from numaaudit.model.sections.apus import Apus

KFD = "root/sys/class/kfd/kfd"
GPU = "root/sys/bus/pci/devices/0000:01:00.0"


@pytest.fixture
def entries(root):
    """An MI300A on NUMA node 0 in place of the other GPUs."""
    kept = {path: entry for path, entry in root("2p-2n-2g").items() if "pci" not in path and "nvidia" not in path}
    return kept | {
        f"{GPU}/class": "0x120000\n",
        f"{GPU}/vendor": "0x1002\n",
        f"{GPU}/device": "0x74a0\n",
        f"{GPU}/numa_node": "0\n",
        f"{KFD}/topology/nodes/2/properties": "cpu_cores_count 0\nsimd_count 440\nvendor_id 4098\nlocation_id 256\ndomain 0\n",
        f"{KFD}/topology/nodes/2/gpu_id": "41185\n",
        f"{KFD}/proc/100/vram_41185": "1000\n",
        f"{KFD}/proc/101/vram_41185": "500\n",
        f"{KFD}/proc/101/vram_7": "9\n",
    }


def told(host):
    return [(each.gpu.name, each.allocated_bytes, [part.pid for part in each.allocations]) for each in host.section(Apus).all]


def test_what_processes_allocated_on_it(entries, build):
    assert told(build(entries)) == [("0000:01:00.0", 1500, [100, 101])]


@pytest.mark.parametrize("text", ["0\n", "\n", "many\n"])
def test_nothing_is_no_allocation(entries, build, text):
    assert told(build(entries | {f"{KFD}/proc/101/vram_41185": text})) == [("0000:01:00.0", 1000, [100])]


def test_a_gpu_with_memory_of_its_own_is_none(entries, build):
    assert told(build(entries | {f"{GPU}/device": "0x74a1\n"})) == []
