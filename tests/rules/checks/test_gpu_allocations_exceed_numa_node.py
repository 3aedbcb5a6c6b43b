"""NA313: a GPU that shares its NUMA node's memory, and more on it than fits."""

import pytest

from numaaudit.rules.finding import Outcome

KFD = "root/sys/class/kfd/kfd"
GPU = "root/sys/bus/pci/devices/0000:01:00.0"
MEMINFO = "root/sys/devices/system/node/node0/meminfo"
GIB = 1 << 30


@pytest.fixture
def entries(root):
    """An MI300A on NUMA node 0, which has 128 GiB, of which processes hold 64."""
    kept = {path: entry for path, entry in root("2p-2n-2g").items() if "pci" not in path and "nvidia" not in path}
    return kept | {
        f"{GPU}/class": "0x120000\n",
        f"{GPU}/vendor": "0x1002\n",
        f"{GPU}/device": "0x74a0\n",
        f"{GPU}/numa_node": "0\n",
        f"{KFD}/topology/nodes/2/properties": "cpu_cores_count 0\nsimd_count 440\nvendor_id 4098\nlocation_id 256\ndomain 0\n",
        f"{KFD}/topology/nodes/2/gpu_id": "41185\n",
        MEMINFO: "Node 0 MemTotal: 134217728 kB\nNode 0 MemFree: 4194304 kB\nNode 0 AnonPages: 67108864 kB\n",
    }


@pytest.fixture
def of(entries, build):
    return lambda size, more=(): build({**entries, f"{KFD}/proc/100/vram_41185": f"{size}\n", **dict(more)})


def test_silent_where_all_fits(of, outcomes):
    assert outcomes(of(64 * GIB), "NA313") == {("numa_node:0", "pass")}


def test_silent_at_its_threshold(of, outcomes):
    assert outcomes(of(65 * GIB), "NA313") == {("numa_node:0", "pass")}


def test_says_how_much_must_lie_elsewhere(of, judge):
    (failure,) = judge(of(96 * GIB), "NA313")

    assert (failure.outcome, failure.subject, failure.related) == (Outcome.FAIL, "numa_node:0", ("gpu:0000:01:00.0", "pid:100"))
    assert {name: failure.facts[name] for name in ("total_mib", "allocated_mib", "anon_mib", "spilled_mib")} == {
        "total_mib": 128 << 10,
        "allocated_mib": 96 << 10,
        "anon_mib": 64 << 10,
        "spilled_mib": 32 << 10,
    }
    assert [each.path for each in failure.evidence] == [f"{KFD}/proc/100/vram_41185", MEMINFO, f"{GPU}/numa_node"]
    assert failure.thresholds == {"spilled_mib": 1024}


def test_all_processes_count(of, outcomes):
    assert outcomes(of(40 * GIB, {f"{KFD}/proc/101/vram_41185": f"{40 * GIB}\n"}.items()), "NA313") == {("numa_node:0", "fail")}


def test_silent_about_a_gpu_with_memory_of_its_own(of, outcomes):
    assert outcomes(of(192 * GIB, {f"{GPU}/device": "0x74a1\n"}.items()), "NA313") == {("host", "not_applicable")}


def test_unknown_without_meminfo(entries, build, outcomes):
    kept = {path: entry for path, entry in entries.items() if path != MEMINFO}

    assert outcomes(build(kept | {f"{KFD}/proc/100/vram_41185": "1\n"}), "NA313") == {("gpu:0000:01:00.0", "unknown")}
