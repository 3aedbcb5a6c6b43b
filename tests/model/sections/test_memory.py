from numaaudit.model.sections.memory import HugePages, Memory

NODE0 = "root/sys/devices/system/node/node0"
COUNTERS = {"numa_hit": 100, "numa_miss": 2, "numa_foreign": 3, "interleave_hit": 4, "local_node": 98, "other_node": 5}
KERNEL = "".join(f"{name} {count}\n" for name, count in COUNTERS.items())
TABLE = "                           node0\n" + "".join(f"{name:<16}{count + 1:>16}\n" for name, count in COUNTERS.items())


def test_counters_are_the_kernels_of_the_first_reading(build):
    entries = {f"{NODE0}/numastat": KERNEL, f"again/1/{NODE0}/numastat": KERNEL.replace("100", "999"), "commands/numastat.out": TABLE}

    assert build(entries).section(Memory).counters == {0: COUNTERS}


def test_else_those_of_numastat(build):
    found = build({"pasted/paste.txt": TABLE}).section(Memory)

    assert found.counters == {0: {name: count + 1 for name, count in COUNTERS.items()}}


def test_pools_of_huge_pages_are_those_that_have_pages(build):
    pool = f"{NODE0}/hugepages/hugepages-{{}}kB/{{}}_hugepages"
    sizes = {(2048, "nr"): "8", (2048, "free"): "3", (1048576, "nr"): "0", (1048576, "free"): "0"}
    entries = {pool.format(size, name): f"{count}\n" for (size, name), count in sizes.items()}

    assert build(entries).section(Memory).hugepages == (HugePages(0, 2 << 20, 8, 3),)
