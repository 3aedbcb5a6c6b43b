"""Which source wins."""

import pytest

from numaaudit.core.sources import SOURCES, trust
from numaaudit.model.pick import Conflict, pick


def test_the_more_trusted_source_wins_and_the_conflict_is_kept():
    picked = pick("gpu:0000:1b:00.0", "numa_node", [(1, "nvidia-smi"), (None, "kfd"), (0, "sysfs")])

    assert (picked.value, picked.source) == (0, "sysfs")
    assert picked.conflict == Conflict("gpu:0000:1b:00.0", "numa_node", ((0, "sysfs"), (1, "nvidia-smi")))


def test_agreement_is_no_conflict():
    picked = pick("gpu:#0", "numa_node", [(1, "nvidia-smi"), (1, "sysfs")])

    assert (picked.value, picked.source, picked.conflict) == (1, "sysfs", None)


def test_zero_is_a_value_and_none_is_not():
    picked = pick("gpu:#0", "numa_node", [(0, "class-file"), (None, "sysfs")])

    assert (picked.value, picked.source, picked.conflict) == (0, "class-file", None)


def test_nothing_known_gives_nothing():
    picked = pick("gpu:#0", "numa_node", [(None, "sysfs")])

    assert (picked.value, picked.source, picked.conflict) == (None, None, None)


def test_a_source_must_be_in_the_table():
    with pytest.raises(ValueError, match="not in tuple"):
        pick("gpu:#0", "numa_node", [(1, "hearsay")])


def test_the_kernel_is_trusted_first():
    assert trust("sysfs") == 0
    assert len(set(SOURCES)) == len(SOURCES)
