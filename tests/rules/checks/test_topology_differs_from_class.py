"""NA902: CPUs and NUMA nodes against the class."""

NUMA = "root/sys/devices/system/node"
CPU = "root/sys/devices/system/cpu"


def expected(host, *numa_nodes):
    return {("host", host), *((f"numa_node:{number}", outcome) for number, outcome in enumerate(numa_nodes))}


def test_silent_on_a_host_of_the_class(root, of_class, outcomes):
    assert outcomes(of_class(root("2p-2n-2g")), "NA902") == expected("pass", "pass", "pass")


def test_silent_about_a_cpu_that_is_offline(root, of_class, outcomes):
    changed = {f"{CPU}/online": "0-6\n", f"{NUMA}/node1/cpulist": "2-3,6\n", f"{NUMA}/node1/cpumap": "4c\n"}

    assert outcomes(of_class(root("2p-2n-2g") | changed), "NA902") == expected("pass", "pass", "pass")


def test_does_not_apply_without_a_class(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA902") == {("host", "not_applicable")}


def test_names_numa_nodes_that_the_firmware_cut_otherwise(root, of_class, outcomes):
    changed = {f"{NUMA}/node0/cpulist": "0-1\n", f"{NUMA}/node0/cpumap": "3\n", f"{NUMA}/node2/cpulist": "4-5\n"}
    distances = {f"{NUMA}/node{at}/distance": row for at, row in enumerate(("10 21 12\n", "21 10 21\n", "12 21 10\n"))}

    assert outcomes(of_class(root("2p-2n-2g") | changed | distances), "NA902") == expected("pass", "fail", "fail", "fail")


def test_names_a_numa_node_that_lost_memory(root, of_class, outcomes):
    entries = root("2p-2n-2g")
    text = entries[f"{NUMA}/node1/meminfo"]
    total = text.split("MemTotal:")[1].split()[0]
    entries[f"{NUMA}/node1/meminfo"] = text.replace(f"{total} kB", f"{int(total) // 2} kB", 1)

    assert outcomes(of_class(entries), "NA902") == expected("pass", "pass", "fail")


def test_unknown_without_the_kernels_files(root, of_class, removed, outcomes):
    assert outcomes(of_class(removed(root("2p-2n-2g"), "/system/", "driver")), "NA902") == expected("unknown", "unknown", "unknown")


def test_cites_what_this_host_has(root, of_class, judge):
    changed = {f"{NUMA}/node0/cpulist": "0-1\n", f"{NUMA}/node0/cpumap": "3\n"}
    (failure,) = [each for each in judge(of_class(root("2p-2n-2g") | changed), "NA902") if each.subject == "numa_node:0"]

    assert [(each.path, each.text) for each in failure.evidence] == [(f"{NUMA}/node0/cpulist", "0-1")]
