"""systemd: properties of a unit."""

import pytest

from numaaudit.core.errors import UsageError


def test_a_unit_without_properties_binds_nothing(predict, two_packages, cpus):
    assert ["as before"] == cpus(predict("systemd", two_packages, ranks=1))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cpu_affinity": "0-3 8"}, ("0-3,8", "default")),
        ({"cpu_affinity": "numa", "numa_mask": "1", "numa_policy": "bind"}, ("4-7,12-15", "bind:1")),
        ({"allowed_cpus": "4-5"}, ("4-5", "default")),
        ({"allowed_cpus": "0-1", "cpu_affinity": "1-2"}, ("1", "default")),
        ({"numa_policy": "local"}, ("0-15", "local")),
        ({"numa_policy": "preferred", "numa_mask": "1"}, ("0-15", "prefer:1")),
    ],
)
def test_properties_bind(predict, two_packages, cpus, policies, options, expected):
    found = predict("systemd", two_packages, ranks=1, **options)

    assert expected == (cpus(found)[0], policies(found)[0])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cpu_affinity": "9", "allowed_cpus": "0-3"}, "exit status 215 (CPUAFFINITY): none of the CPUs is allowed"),
        (
            {"numa_policy": "bind", "numa_mask": "1", "allowed_memory_nodes": "0"},
            "exit status 242 (NUMA_POLICY): none of the NUMA nodes is allowed",
        ),
        ({"numa_policy": "bind"}, "NUMAPolicy=bind needs NUMA nodes in NUMAMask="),
        ({"numa_policy": "preferred", "numa_mask": "0-1"}, "NUMAPolicy=preferred needs one NUMA node in NUMAMask="),
    ],
)
def test_what_is_refused_ends_the_unit(predict, two_packages, options, reason):
    assert reason == predict("systemd", two_packages, ranks=1, **options).prediction.reason


def test_a_mask_that_is_no_list_is_wrong_usage(predict, two_packages):
    with pytest.raises(UsageError):
        predict("systemd", two_packages, numa_mask="x")
