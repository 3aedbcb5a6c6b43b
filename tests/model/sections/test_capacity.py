"""What a NUMA node has left."""

import pytest

from numaaudit.model.sections.capacity import Capacity

MEMINFO = "root/sys/devices/system/node/node0/meminfo"
KIB = 1024


def left(host):
    return {each.numa_node: each.available_bytes // KIB for each in host.section(Capacity).numa_nodes}


def lines(**sizes):
    return "".join(f"Node 0 {key}: {size} kB\n" for key, size in sizes.items())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (lines(MemTotal=1000, MemFree=100), 100),
        (lines(MemTotal=1000, MemFree=100, FilePages=300, Shmem=50), 350),
        (lines(MemTotal=1000, MemFree=100, FilePages=300, SReclaimable=40), 420),
        (lines(MemTotal=1000, MemFree=100, FilePages=300) + "Node 0 Inactive(file): 200 kB\nNode 0 Active(file): 20 kB\n", 320),
    ],
)
def test_page_cache_is_available_and_shared_memory_is_not(root, build, text, expected):
    assert left(build(root("2p-2n-2g") | {MEMINFO: text}))[0] == expected


def test_a_numa_node_without_memory_is_not_listed(root, build):
    assert list(left(build(root("2p-2n-2g") | {MEMINFO: lines(MemTotal=0, MemFree=0)}))) == [1]


def test_its_lines_are_cited(host):
    (total, free) = host("2p-2n-2g").section(Capacity).numa_nodes[0].evidence

    assert (total.line, total.text, free.line) == (1, "Node 0 MemTotal:       16384000 kB", 2)
