"""AMD's list of devices."""

from numaaudit.collect.collectors.kfd_topology import COLLECTOR

FILES = {
    "sys/class/kfd/kfd/topology/nodes/1/properties": "simd_count 416\n",
    "sys/class/kfd/kfd/topology/nodes/1/gpu_id": "4711\n",
    "sys/class/kfd/kfd/topology/nodes/1/io_links/0/properties": "type 2\n",
    "sys/class/kfd/kfd/proc/77/vram_4711": "4096\n",
    "sys/class/kfd/kfd/topology/nodes/1/mem_banks/0/properties": "heap_type 1\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/class/kfd/kfd/topology/nodes/1/properties": "simd_count 416\n",
        "sys/class/kfd/kfd/topology/nodes/1/gpu_id": "4711\n",
        "sys/class/kfd/kfd/topology/nodes/1/io_links/0/properties": "type 2\n",
        "sys/class/kfd/kfd/proc/77/vram_4711": "4096\n",
    }
