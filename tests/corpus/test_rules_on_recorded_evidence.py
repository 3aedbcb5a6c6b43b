"""Rules whose evidence others recorded: a kernel's, a kubelet's own texts, and what is said of them."""

import os
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.compare.hardware_class import expecting
from numaaudit.model.host import build_host
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Outcome

CORPORA = Path(os.environ["NUMAAUDIT_CORPORA"])
CASES, MACHINES = CORPORA / "cases", CORPORA / "machines"
NUMA = "root/sys/devices/system/node"
CPU = "root/sys/devices/system/cpu"
GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"


def recorded(path, *patterns):
    """The files of a recorded machine or text as entries."""
    tree = open_input(str(path)).tree
    return {name: tree.get(name).data for pattern in patterns for name in tree.glob(pattern)}


def whole(path):
    """Everything that a recorded host has, links as links."""
    opened = open_input(str(path))
    storage = opened.tree.storage
    found = [(name, entry, storage.kind(entry)) for name, entry in storage.walk(storage.top)]
    return {name: f"@{storage.target(entry)}" if kind == "link" else storage.read(entry) for name, entry, kind in found if kind != "dir"}


def failing(host, code, **thresholds):
    """The failures of a rule, with thresholds other than its own."""
    (loaded,) = [each for each in load_rules() if each.rule.code == code]
    if thresholds:
        loaded = loaded._replace(thresholds=loaded.thresholds._replace(**thresholds))
    return [each.judgement for each in audit(host, rules=[loaded]).findings if each.judgement.outcome is Outcome.FAIL]


@pytest.mark.parametrize(("value", "failed"), [("0\n", []), ("1\n", [3])])
def test_zone_reclaim_on_a_host_with_a_numa_node_full_of_page_cache(build, value, failed):
    entries = recorded(MACHINES / "nri" / "ta-4-socket-server-nosnc.tar.xz", f"{NUMA}/node*/meminfo", f"{NUMA}/node*/cpulist")

    host = build(entries | {"root/proc/sys/vm/zone_reclaim_mode": value})

    assert [each.facts["numa_node"] for each in failing(host, "NA650")] == failed


def test_the_kubelets_cpus_of_two_numa_nodes_and_a_gpu_of_one(build):
    texts = [(CORPORA / "corpus" / "kubelet" / f"{number}.txt").read_text().rpartition("}")[0] + "}" for number in ("005", "006")]
    state, checkpoint = "root/var/lib/kubelet/cpu_manager_state", "root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"
    nodes = {f"{NUMA}/node0/cpulist": "0-13\n", f"{NUMA}/node1/cpulist": "14-27\n", f"{CPU}/online": "0-27\n"}

    failures = failing(build(nodes | dict(zip((state, checkpoint), texts, strict=True))), "NA606")

    assert [(each.subject, each.message, str(each.facts["numa_nodes"]), str(each.facts["device_numa_nodes"])) for each in failures] == [
        ("pod:9388acc6-a396-4f03-a353-ce153da46aaf", "straddling", "0-1", "0")
    ]


def test_swap_as_kernels_print_it():
    opened = [open_input(str(path)) for path in sorted((CORPORA / "corpus" / "proc_status").glob("*.txt"))]
    hosts = [build_host(each.tree, each.manifest, each.gaps) for each in opened]

    told = [(each.subject, each.evidence[0].text.split()) for host in hosts for each in failing(host, "NA305", swapped_mib=0.5)]

    assert told == [("pid:26231", ["VmSwap:", "660", "kB"])]


def test_a_link_of_half_its_lanes_as_a_kernel_prints_it(root, build):
    port = "root/sys/devices/pci0000:00/0000:00:02.1"
    link = recorded(MACHINES / "prometheus" / "node_exporter-fixtures.tar.xz", f"{port}/*_link_width")

    (failure,) = failing(build(root("2p-2n-2g") | {path.replace(port, GPU): data for path, data in link.items()}), "NA402")

    assert (failure.subject, failure.facts["width"], failure.facts["max_width"]) == ("gpu:0000:98:00.0", 4, 8)


@pytest.mark.parametrize(("value", "failed"), [("0\n", []), ("1\n", ["host"])])
def test_balancing_on_a_host_whose_ranks_are_bound(build, value, failed):
    host = build(whole(CASES / "c010" / "bundle.tar.gz") | {"root/proc/sys/kernel/numa_balancing": value})

    assert [each.subject for each in failing(host, "NA318")] == failed


@pytest.mark.parametrize("code", ["NA901", "NA902", "NA903", "NA904"])
@pytest.mark.parametrize(("case", "is_other"), [("c007", False), ("c047", False), ("c010", True), ("c032", True)])
def test_a_host_of_another_class_differs_from_it(build, code, case, is_other):
    hosts = [build(whole(CASES / name / "bundle.tar.gz")) for name in ("c007", case)]
    expected = hosts[0].section(Hardware).found

    assert bool(failing(expecting(hosts[1], expected), code)) == is_other
