"""Small changes to fixture roots that tests of several rules make."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from numaaudit.compare.hardware_class import expecting
from numaaudit.model.host import Host
from numaaudit.model.sections.hardware import Hardware

Entries = dict[str, Any]


def set_mask(entries: Entries, pid: int, cpus: str, tids: tuple[int, ...] | None = None) -> Entries:
    """The entries with another Cpus_allowed_list for a process and its threads, or for some threads only."""
    changed = dict(entries)
    for path, text in entries.items():
        match = re.fullmatch(rf"root/proc/{pid}/(?:task/(\d+)/)?status", path)
        if match and (tids is None or (match[1] and int(match[1]) in tids)):
            changed[path] = re.sub(r"Cpus_allowed_list:\t.*", f"Cpus_allowed_list:\t{cpus}", re.sub(r"Cpus_allowed:\t.*\n", "", text))
    return changed


def one_package(entries: Entries) -> Entries:
    """The entries with all CPUs in one package."""
    return {path: "0\n" if path.endswith("physical_package_id") else entry for path, entry in entries.items()}


def one_numa_node(entries: Entries) -> Entries:
    """The entries with NUMA node 0 only, which has all CPUs."""
    kept = {path: entry for path, entry in entries.items() if "/node/node1/" not in path}
    return kept | {"root/sys/devices/system/node/node0/cpulist": "0-7\n", "root/sys/devices/system/node/node0/cpumap": "ff\n"}


def without(entries: Entries, *parts: str) -> Entries:
    """The entries whose path has none of these parts."""
    return {path: entry for path, entry in entries.items() if not any(part in path for part in parts)}


@pytest.fixture
def masked() -> Callable[..., Entries]:
    return set_mask


@pytest.fixture
def in_one_package() -> Callable[[Entries], Entries]:
    return one_package


@pytest.fixture
def on_one_numa_node() -> Callable[[Entries], Entries]:
    return one_numa_node


@pytest.fixture
def removed() -> Callable[..., Entries]:
    return without


@pytest.fixture
def of_class(root: Callable[[str], Entries], build: Callable[[Entries], Host]) -> Callable[[Entries], Host]:
    """The model of entries that is expected to be of the class of 2p-2n-2g."""
    return lambda entries: expecting(build(entries), build(root("2p-2n-2g")).section(Hardware).found)
