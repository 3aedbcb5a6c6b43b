"""Two packages, 5 + 3 GPUs and one nobody knows the place of: what numaaudit says, against what the kernel says by other means."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from guest import CHECKOUT, HERE, RESULTS, run_in_guest
from shapes import TWO_PACKAGES_5_3, cpulist
from stand_ins import stand_ins

Json = dict[str, Any]
MIB = 1 << 20


@pytest.fixture(scope="module")
def results() -> Path:
    return run_in_guest(TWO_PACKAGES_5_3, [sys.executable, str(HERE / "scenario_two_packages_5_3.py"), RESULTS])


@pytest.fixture(scope="module")
def observed(results: Path) -> Json:
    """What the guest wrote down: masks, pages, tables of other tools, and the two numaaudit runs."""
    return json.loads((results / "observed.json").read_text())


@pytest.fixture(scope="module")
def targets(observed: Json) -> Json:
    return observed["targets"]


@pytest.fixture(scope="module")
def model(results: Path) -> Json:
    """The bundle that ``collect`` wrote in the guest, read on this host."""
    return json.loads(numaaudit("inspect", str(results / "bundle.tar.gz"), "--format", "json").stdout)


@pytest.fixture(scope="module")
def process(model: Json, targets: Json) -> Callable[[str], Json]:
    by_pid = {process["pid"]: process for process in model["processes"]}
    return lambda name: by_pid[targets[name]["pid"]]


@pytest.fixture(scope="module")
def report(observed: Json) -> Json:
    """The verdict on the live host, from within."""
    return json.loads(observed["check"]["stdout"])


def numaaudit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "numaaudit", *arguments], check=False, capture_output=True, text=True, cwd=CHECKOUT)


def outcomes(report: Json, rule: str) -> dict[str, str]:
    return {finding["subject"]: finding["outcome"] for finding in report["findings"] if finding["rule"] == rule}


# -- the host


def test_devices_hang_on_the_numa_node_that_qemu_was_told(model: Json) -> None:
    said = {device["pci_address"]: device["numa_node"] for kind in ("gpus", "nvmes", "nics") for device in model[kind]}
    told = {place.pci_address: place.device.numa_node for place in TWO_PACKAGES_5_3.placed()}
    assert said == told


def test_a_device_without_numa_node_is_a_gap_and_never_a_number(model: Json, observed: Json) -> None:
    unplaced = [place.pci_address for place in TWO_PACKAGES_5_3.placed("accelerator") if place.device.numa_node is None]
    assert [observed["host"]["pci"][address]["numa_node"] for address in unplaced] == ["-1"]
    assert [gap["path"] for gap in model["gaps"] if "numa_node" in gap["path"]] == [
        f"root/sys/bus/pci/devices/{address}/numa_node" for address in unplaced
    ]


def test_local_cpus_of_gpus_are_those_of_sysfs(model: Json, observed: Json) -> None:
    placed = [gpu for gpu in model["gpus"] if gpu["numa_node"] is not None]
    pci = observed["host"]["pci"]
    assert [gpu["local_cpus"] for gpu in placed] == [pci[gpu["pci_address"]]["local_cpulist"] for gpu in placed]


def test_a_gpu_keeps_its_four_names_apart(model: Json) -> None:
    names = ("pci_address", "gpu_uuid", "gpu_minor", "index")
    expected = [tuple(getattr(gpu, name) for name in names) for gpu in sorted(stand_ins(TWO_PACKAGES_5_3), key=lambda gpu: gpu.index)]
    assert [tuple(gpu[name] for name in names) for gpu in model["gpus"]] == expected


def test_packages_and_numa_nodes_hold_the_cpus_that_lscpu_counts(model: Json, observed: Json) -> None:
    rows = [line.split(",") for line in observed["host"]["cpus"].splitlines() if not line.startswith("#")]
    by_numa_node = {int(number): cpulist(int(row[0]) for row in rows if row[1] == number) for number in {row[1] for row in rows}}
    by_package = {int(number): cpulist(int(row[0]) for row in rows if row[2] == number) for number in {row[2] for row in rows}}
    assert {numa_node["id"]: numa_node["cpus"] for numa_node in model["numa_nodes"]} == by_numa_node
    assert {package["id"]: package["cpus"] for package in model["packages"]} == by_package
    assert model["cpus"]["cores"] == len({(row[2], row[3]) for row in rows})
    assert model["cpus"]["threads_per_core"] == TWO_PACKAGES_5_3.threads_per_core


def test_distances_and_sizes_are_those_of_numactl(model: Json, observed: Json) -> None:
    hardware = observed["host"]["hardware"].splitlines()
    distances = [[int(word) for word in line.split(":")[1].split()] for line in hardware[hardware.index("node distances:") + 2 :] if line]
    sizes = [int(line.split()[3]) for line in hardware if line.split()[2] == "size:"]
    assert model["distances"] == {"nodes": [0, 1], "matrix": distances}
    assert [numa_node["memory_bytes"] // MIB for numa_node in model["numa_nodes"]] == sizes


# -- the processes


def test_masks_are_those_of_sched_getaffinity(targets: Json, process: Callable[[str], Json]) -> None:
    said = {name: {str(thread["tid"]): thread["allowed_cpus"] for thread in process(name)["threads"]} for name in targets}
    assert said == {name: {tid: cpulist(cpus) for tid, cpus in target["affinity"].items()} for name, target in targets.items()}


def test_bytes_by_numa_node_are_those_of_numastat(targets: Json, process: Callable[[str], Json]) -> None:
    for name, target in targets.items():
        totals = target["numastat"].splitlines()[-1].split()[1:-1]
        by_node = process(name)["bytes_by_node"]
        said = [by_node.get(str(numa_node), 0) / MIB for numa_node in range(len(totals))]
        assert said == pytest.approx([float(total) for total in totals], abs=0.0051), name  # numastat rounds to 0.01


def test_a_policy_is_the_one_the_thread_itself_was_told(targets: Json, process: Callable[[str], Json]) -> None:
    for name in ("bound", "moved"):
        threads = {str(thread["tid"]): thread["policy"] for thread in process(name)["threads"]}
        assert threads == targets[name]["said"]["policies"], name


def test_memory_bound_to_a_numa_node_is_there(observed: Json, targets: Json, process: Callable[[str], Json]) -> None:
    assert "membind: 1 \n" in observed["host"]["show"]
    assert targets["bound"]["pages_of_mapping"] == {"1": 32 * MIB // 4096}
    assert process("bound")["policy"] == "bind:1"
    assert process("bound")["anon_bytes_by_node"]["1"] >= 32 * MIB
    assert process("bound")["anon_bytes_by_node"].get("0", 0) == 0


def test_memory_touched_before_the_policy_stays_where_it_was(targets: Json, process: Callable[[str], Json]) -> None:
    assert targets["moved"]["pages_of_mapping"] == {"0": 32 * MIB // 4096}
    assert process("moved")["policy"] == "bind:1"
    assert process("moved")["effective_cpus"] == "8-15"
    assert process("moved")["anon_bytes_by_node"]["0"] >= 32 * MIB


def test_a_request_is_cut_to_the_cpuset(process: Callable[[str], Json]) -> None:
    clipped = process("clipped")
    assert clipped["cgroup"] == "/clipped"
    assert (clipped["allowed_cpus"], clipped["effective_cpus"], clipped["allowed_mems"]) == ("1,3", "1,3", "0")


def test_a_rank_reaches_its_gpu_by_the_strongest_evidence(process: Callable[[str], Json]) -> None:
    on_0, on_1 = ([gpu.pci_address for gpu in stand_ins(TWO_PACKAGES_5_3) if gpu.numa_node == numa_node] for numa_node in (0, 1))
    unplaced = next(gpu.pci_address for gpu in stand_ins(TWO_PACKAGES_5_3) if gpu.numa_node is None)
    expected = {
        "local": ([on_0[0]], "open-device"),
        "remote": ([on_0[1]], "open-device"),
        "bound": ([on_1[0]], "environment"),
        "moved": ([on_1[1]], "open-device"),
        "clipped": ([on_0[2]], "open-device"),
        "unplaced": ([unplaced], "open-device"),
        "in-driver-table": ([on_1[2]], "compute-apps"),
    }
    assert {name: (process(name)["gpus"], process(name)["gpu_source"]) for name in expected} == expected


# -- the verdict


def test_only_the_rank_on_the_other_numa_node_fails(report: Json, observed: Json) -> None:
    assert outcomes(report, "NA201") == {
        "rank:0": "pass",
        "rank:1": "fail",
        "rank:2": "pass",
        "rank:3": "pass",
        "rank:4": "pass",
        "rank:5": "unknown",
        "rank:6": "pass",
    }
    assert (report["verdict"], observed["check"]["exit_code"]) == ("fail", 1)


def test_the_finding_shows_the_kernel_s_own_line(report: Json, targets: Json) -> None:
    finding = next(finding for finding in report["findings"] if (finding["rule"], finding["outcome"]) == ("NA201", "fail"))
    path = f"root/proc/{targets['remote']['pid']}/status"
    assert [line["text"] for line in finding["evidence"] if line["path"] == path] == ["Cpus_allowed_list:\t8-15"]


def test_the_bundle_gives_the_verdict_that_the_live_host_gave(results: Path, report: Json) -> None:
    later = json.loads(numaaudit("check", str(results / "bundle.tar.gz"), "--format", "json", "--all").stdout)
    assert outcomes(later, "NA201") == outcomes(report, "NA201")
    assert later["gates"] == report["gates"]


# -- collect itself


def test_collect_leaves_the_processes_as_they_were(observed: Json) -> None:
    assert observed["collect"]["exit_code"] == 0, observed["collect"]["stderr"]
    assert observed["after"] == observed["targets"]


def test_the_bundle_is_intact(results: Path) -> None:
    assert numaaudit("verify", str(results / "bundle.tar.gz")).returncode == 0
