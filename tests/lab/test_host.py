"""The host as numaaudit has it, on every shape: against what QEMU was told and what numactl, lscpu and sysfs say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from runs import Run, numaaudit
from shapes import SHAPES, HostShape, cpulist
from stand_ins import stand_ins
from syscalls import PAGE_BYTES

MIB = 1 << 20
OWN_BYTES = 48 * MIB  # of Python itself, at most


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.name)
def run(request: pytest.FixtureRequest, boot: Callable[[HostShape], Run]) -> Run:
    return boot(request.param)


def test_devices_hang_on_the_numa_node_that_qemu_was_told(run: Run) -> None:
    said = {device["pci_address"]: device["numa_node"] for kind in ("gpus", "nvmes", "nics") for device in run.model[kind]}
    told = {place.pci_address: place.device.numa_node for place in run.shape.placed()}
    assert said == told


def test_a_gpu_without_numa_node_is_a_gap_and_never_a_number(run: Run) -> None:
    unplaced = [gpu.pci_address for gpu in stand_ins(run.shape) if gpu.numa_node is None]
    assert [run.observed["host"]["pci"][address]["numa_node"] for address in unplaced] == ["-1" for _ in unplaced]
    gaps = {gap["path"] for gap in run.model["gaps"]}
    assert {f"root/sys/bus/pci/devices/{address}/numa_node" for address in unplaced} <= gaps


def test_local_cpus_of_gpus_are_those_of_sysfs(run: Run) -> None:
    placed = [gpu for gpu in run.model["gpus"] if gpu["numa_node"] is not None]
    pci = run.observed["host"]["pci"]
    assert [gpu["local_cpus"] for gpu in placed] == [pci[gpu["pci_address"]]["local_cpulist"] for gpu in placed]


def test_a_gpu_keeps_its_four_names_apart(run: Run) -> None:
    said = [(gpu["pci_address"], gpu["gpu_uuid"], gpu["gpu_minor"], gpu["index"]) for gpu in run.model["gpus"]]
    by_index = sorted(stand_ins(run.shape), key=lambda gpu: gpu.nvml_index)
    assert said == [(gpu.pci_address, gpu.gpu_uuid, gpu.gpu_minor, gpu.nvml_index) for gpu in by_index]


def test_packages_and_numa_nodes_hold_the_cpus_that_lscpu_counts(run: Run) -> None:
    rows = [line.split(",") for line in run.observed["host"]["lscpu"].splitlines() if not line.startswith("#")]
    cpus = [{int(row[column]): [int(each[0]) for each in rows if each[column] == row[column]] for row in rows} for column in (1, 2)]
    by_numa_node, by_package = ({number: cpulist(members) for number, members in groups.items()} for groups in cpus)
    assert {numa_node["id"]: numa_node["cpus"] for numa_node in run.model["numa_nodes"] if numa_node["cpus"]} == by_numa_node
    assert {package["id"]: package["cpus"] for package in run.model["packages"]} == by_package
    assert run.model["cpus"]["cores"] == len({(row[2], row[3]) for row in rows})
    assert run.model["cpus"]["threads_per_core"] == run.shape.threads_per_core


def test_distances_sizes_and_kinds_are_those_of_numactl(run: Run) -> None:
    lines = [line.split() for line in run.observed["host"]["numactl"].splitlines()]
    sizes = [int(words[3]) for words in lines if words[2:3] == ["size:"]]
    kinds = ["cpu" if words[3:] else "memory-only" for words in lines if words[2:3] == ["cpus:"]]
    distances = [[int(word) for word in words[1:]] for words in lines[lines.index(["node", "distances:"]) + 2 :]]
    assert [numa_node["memory_bytes"] // MIB for numa_node in run.model["numa_nodes"]] == sizes
    assert [numa_node["kind"] for numa_node in run.model["numa_nodes"]] == kinds
    assert run.model["distances"] == {"nodes": list(range(len(kinds))), "matrix": distances}


def test_masks_are_those_of_sched_getaffinity(run: Run) -> None:
    said = {name: {str(thread["tid"]): thread["allowed_cpus"] for thread in run.process(name)["threads"]} for name in run.targets}
    assert said == {name: {tid: cpulist(cpus) for tid, cpus in target["affinity"].items()} for name, target in run.targets.items()}


def bytes_by_node(run: Run, name: str) -> dict[str, int]:
    """Of the large process by the collection that was told to count all its pages."""
    return run.process(name, "full" if name == "large" else "bundle")["bytes_by_node"]


def test_bytes_by_numa_node_are_those_of_numastat(run: Run) -> None:
    for name, target in run.targets.items():
        by_node = bytes_by_node(run, name)
        said = [by_node.get(str(numa_node), 0) / MIB for numa_node in range(len(run.shape.numa_nodes))]
        assert said == pytest.approx(target["numastat"], abs=0.0051), name  # numastat rounds to 0.01


def test_pages_that_move_pages_finds_are_among_the_bytes_of_their_numa_nodes(run: Run) -> None:
    for name, target in run.targets.items():
        found = Counter()
        for pages in target["pages_of_mappings"]:
            found.update({numa_node: count * PAGE_BYTES for numa_node, count in pages.items()})
        by_node = bytes_by_node(run, name)
        assert all(0 <= by_node[numa_node] - amount < OWN_BYTES for numa_node, amount in found.items()), name


def test_policies_are_those_the_threads_were_told_by_the_kernel(run: Run) -> None:
    asked = {name: target["said"]["policies"] for name, target in run.targets.items() if target["said"]}
    assert asked == {name: {str(thread["tid"]): thread["policy"] for thread in run.process(name)["threads"]} for name in asked}


def test_collect_leaves_the_processes_as_they_were(run: Run) -> None:
    assert run.observed["collect"]["exit_code"] == 0, run.observed["collect"]["stderr"]
    assert run.observed["after"] == {name: run.targets[name] for name in run.observed["after"]}


def test_in_a_guest_of_a_hypervisor_nothing_is_certain(run: Run) -> None:
    assert run.model["host"]["view"] == "vm"
    assert "certain" not in {finding["confidence"] for finding in run.report["findings"] if finding["outcome"] == "fail"}


def test_the_bundle_is_intact(run: Run) -> None:
    verify = numaaudit("verify", run.bundle)
    assert verify.returncode == 0, verify.stdout + verify.stderr
