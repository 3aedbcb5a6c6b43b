"""NUMA nodes."""

from numaaudit.collect.collectors.numa_nodes import COLLECTOR

FILES = {
    "sys/devices/system/node/online": "0,2\n",
    "sys/devices/system/node/node2/cpulist": "4-7\n",
    "sys/devices/system/node/node2/distance": "21 10\n",
    "sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages": "8\n",
    "sys/devices/system/node/node2/compact": "\n",
    "sys/devices/system/node/power/async": "disabled\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/devices/system/node/online": "0,2\n",
        "sys/devices/system/node/node2/cpulist": "4-7\n",
        "sys/devices/system/node/node2/distance": "21 10\n",
        "sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages": "8\n",
    }
