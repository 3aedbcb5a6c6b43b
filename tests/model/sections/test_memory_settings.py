"""Settings of the kernel that move memory."""

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.model.sections.memory_settings import MemorySettings

BALANCING = "root/proc/sys/kernel/numa_balancing"


def test_a_setting_and_its_line(root, build):
    found = build(root("2p-2n-2g") | {BALANCING: "3\n"}).section(MemorySettings)

    assert (found.numa_balancing.value, found.numa_balancing.evidence.path, found.numa_balancing.evidence.text) == (3, BALANCING, "3")
    assert found.zone_reclaim_mode.value == 0


def test_what_is_no_number_is_a_gap(root, build):
    found = build(root("2p-2n-2g") | {BALANCING: "on\n"}).section(MemorySettings)

    assert (found.numa_balancing.kind, found.numa_balancing.path) == ("unparsable", BALANCING)


def test_a_setting_that_is_not_there_is_a_gap(root, build):
    found = build({path: entry for path, entry in root("2p-2n-2g").items() if "zone_reclaim" not in path}).section(MemorySettings)

    assert isinstance(found.zone_reclaim_mode, Gap)


@pytest.mark.parametrize(("later", "expected"), [(None, None), ("numa_hint_faults 150\n", 50), ("numa_hint_faults 100\n", 0)])
def test_faults_between_two_readings(root, build, later, expected):
    entries = root("2p-2n-2g") | {"root/proc/vmstat": "numa_hint_faults 100\n"}
    entries |= {"again/1/root/proc/vmstat": later} if later else {}

    assert build(entries).section(MemorySettings).hint_faults == expected
