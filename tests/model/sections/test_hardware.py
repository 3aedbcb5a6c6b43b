"""The hardware class of a host."""

import pytest

from numaaudit.model.sections.hardware import Hardware, path_of
from numaaudit.model.sections.pci_functions import PciFunctions


@pytest.fixture
def hardware(build):
    return lambda entries: build(entries).section(Hardware)


def test_slots_have_their_path_their_numa_node_and_the_nic_beside_them(root, hardware):
    found = hardware(root("2p-2n-2g")).found
    gpus, links = found.part("gpus"), found.part("gpu_links")

    assert {slot: (gpu["path"], gpu["numa_node"]) for slot, gpu in gpus.items()} == {
        "0000:17:00.0": ("0000:16/01.0/00.0", 0),
        "0000:98:00.0": ("0000:97/01.0/00.0", 1),
    }
    assert {link["nearest_nic"] for link in links.values()} == {"none"}  # a root port in common is no switch


def test_a_nic_below_the_same_switch_is_the_nearest(root, hardware):
    entries = {path: str(entry).replace("16:01.0/", "16:01.0/0000:2f:00.0/") for path, entry in root("2p-2n-2g").items()}
    entries = {path.replace("16:01.0/", "16:01.0/0000:2f:00.0/"): entry for path, entry in entries.items()}

    assert hardware(entries).found.part("gpu_links")["0000:17:00.0"]["nearest_nic"] == "0000:18:00.0"


def test_without_a_link_the_path_is_not_known(build):
    pci = "root/sys/bus/pci/devices/0000:17:00.0"
    functions = build({f"{pci}/class": "0x030200\n", f"{pci}/vendor": "0x10de\n"}).section(PciFunctions)

    assert [path_of(function) for function in functions.by_address.values()] == [None]


def test_what_cannot_be_listed_is_none_and_not_empty(build):
    found = build({}).section(Hardware).found

    assert {found.part(name) for name in ("numa_nodes", "gpus", "gpu_links", "nics", "nvmes")} == {None}


def test_a_host_whose_devices_are_listed_may_have_no_gpu(root, hardware):
    entries = {path: entry for path, entry in root("2p-2n-2g").items() if "/0000:17:" not in path and "/0000:98:" not in path}

    assert hardware({path: entry for path, entry in entries.items() if "commands/" not in path}).found.part("gpus") == {}


@pytest.mark.parametrize(
    ("entries", "drivers"),
    [
        ({}, {}),
        ({"root/sys/module/nvidia/version": "570.86.15\n"}, {"nvidia": "570.86.15"}),
        ({"root/sys/module/amdgpu/version": "6.10.5\n"}, {"amdgpu": "6.10.5"}),
        (
            {"root/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n"},
            {"nvidia": "570.86.15"},
        ),
    ],
)
def test_drivers(build, entries, drivers):
    assert build(entries).section(Hardware).drivers == drivers
