"""NA102: boards that equal slices do not fit."""

from numaaudit.rules.finding import Outcome, Severity

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
THIRD = "root/sys/devices/pci0000:97/0000:97:02.0/0000:99:01.0"
SECOND_ON_ONE = {
    "root/sys/bus/pci/devices/0000:99:01.0": "@../../../devices/pci0000:97/0000:97:02.0/0000:99:01.0",
    f"{THIRD}/class": "0x030200\n",
    f"{THIRD}/vendor": "0x10de\n",
    f"{THIRD}/device": "0x2330\n",
    f"{THIRD}/numa_node": "1\n",
}


def swapped(entries):
    """GPU 0 on NUMA node 1 and GPU 1 on 0, and each rank still with its own."""
    changed = dict(entries)
    for folder, numa_node, cpus in (
        ("pci0000:16/0000:16:01.0/0000:17:00.0", 1, "2-3,6-7"),
        (GPU.removeprefix("root/sys/devices/"), 0, "0-1,4-5"),
    ):
        changed[f"root/sys/devices/{folder}/numa_node"], changed[f"root/sys/devices/{folder}/local_cpulist"] = f"{numa_node}\n", f"{cpus}\n"
    return changed


def only(judgements):
    (judged,) = judgements
    return judged


def test_silent_where_slots_are_even_and_in_order(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA102") == {("host", "pass")}


def test_an_uneven_board_is_a_note_while_nobody_is_hurt(root, build, judge):
    judged = only(judge(build(root("2p-2n-2g") | SECOND_ON_ONE), "NA102"))

    assert (judged.outcome, judged.severity, judged.message, judged.facts["order"]) == (Outcome.FAIL, Severity.INFO, None, "0, 1, 1")


def test_it_names_the_bound_ranks_that_are_hurt(root, masked, build, judge):
    entries = masked(root("2p-2n-2g-rank-off-node"), 101, "0-1") | SECOND_ON_ONE

    judged = only(judge(build(entries), "NA102"))

    assert (judged.severity, judged.message, judged.related[0], judged.facts["ranks"]) == (None, "uneven-hurt", "rank:1", "rank 1")


def test_an_unbound_rank_is_not_hurt_by_the_slots(root, masked, build, judge):
    judged = only(judge(build(masked(root("2p-2n-2g"), 101, "0-7") | SECOND_ON_ONE), "NA102"))

    assert judged.severity is Severity.INFO


def test_slots_out_of_order_are_named(root, masked, build, judge):
    entries = masked(masked(swapped(root("2p-2n-2g")), 100, "2-3,6-7"), 101, "0-1,4-5")

    judged = only(judge(build(entries), "NA102"))

    assert (judged.severity, judged.message, judged.facts["order"]) == (Severity.INFO, "permuted", "1, 0")


def test_ranks_in_the_order_of_the_slots_are_hurt_where_that_is_permuted(root, build, judge):
    judged = only(judge(build(swapped(root("2p-2n-2g"))), "NA102"))

    assert (judged.severity, judged.related[:2]) == (None, ("rank:0", "rank:1"))


def test_alternating_cpu_numbers_are_named(root, build, judge):
    entries = {path: entry for path, entry in root("2p-2n-2g").items() if "/topology/core_cpus_list" not in path}
    for numa_node, cpus, mask in ((0, "0,2,4,6", "55"), (1, "1,3,5,7", "aa")):
        folder = f"root/sys/devices/system/node/node{numa_node}"
        entries |= {f"{folder}/cpulist": f"{cpus}\n", f"{folder}/cpumap": f"{mask}\n"}
    for cpu in range(8):
        topology = f"root/sys/devices/system/cpu/cpu{cpu}/topology"
        entries |= {f"{topology}/physical_package_id": f"{cpu % 2}\n", f"{topology}/core_id": f"{cpu // 2}\n"}

    judged = only(judge(build(entries), "NA102"))

    assert (judged.message, judged.facts["ranks"], str(judged.facts["numa_nodes"])) == ("interleaved-hurt", "ranks 0-1", "0-1")


def test_low_where_all_stay_within_one_package(root, in_one_package, build, judge):
    assert only(judge(build(in_one_package(swapped(root("2p-2n-2g")))), "NA102")).severity is Severity.LOW


def test_unknown_where_a_gpu_has_no_numa_node(root, build, outcomes):
    entries = root("2p-2n-2g") | {f"{GPU}/numa_node": "-1\n", f"{GPU}/local_cpulist": "0-7\n"}

    assert outcomes(build(entries), "NA102") == {("host", "unknown")}


def test_a_container_may_not_be_shown_every_gpu(root, build, outcomes):
    entries = root("2p-2n-2g") | {"root/proc/mounts": "lxcfs /proc/cpuinfo fuse.lxcfs rw 0 0\n"}

    assert outcomes(build(entries), "NA102") == {("host", "unknown")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(root("2p-2n-2g"))), "NA102") == {("host", "not_applicable")}
