"""What the user types, turned into forecasts."""

import pytest

from numaaudit.core.errors import InputError, UsageError
from numaaudit.launchers.request import Typed, forecasts, what_if_of

NOTHING = Typed("deepinfer", None, None, None, (), None)


@pytest.fixture
def asymmetric(two_packages, build):
    return build(two_packages.entries())


def test_all_gives_one_forecast_for_every_launcher_that_needs_no_option(asymmetric):
    names = [found.launcher.name for found in forecasts(asymmetric, NOTHING._replace(launcher="all"))]

    assert (names, "command" in names) == (sorted(names), False)


def test_visible_devices_are_in_the_jobs_order(asymmetric):
    found = forecasts(asymmetric, NOTHING._replace(visible_devices="3,1"))[0]

    assert [3, 1] == [found.view.index_of(rank.gpu) for rank in found.ranks]


def test_exposed_gpus_are_numbered_anew(asymmetric):
    found = forecasts(asymmetric, NOTHING._replace(gpus="2-3"))[0]

    assert ["0-3", "4-7"] == [str(rank.cpus) for rank in found.ranks]


@pytest.mark.parametrize(
    "typed",
    [
        {"visible_devices": "7"},
        {"visible_devices": "x"},
        {"visible_devices": "GPU-1"},
        {"gpus": "4"},
        {"gpus": "a"},
        {"options": ("threads",)},
        {"options": ("=worker",)},
        {"what_if": "cpuset=64-70"},
        {"what_if": "cpuset=x"},
        {"what_if": "mems=x"},
        {"what_if": "gpus=0"},
        {"what_if": "0-3"},
        {"launcher": "all", "options": ("mode=node",)},
        {"launcher": "none"},
    ],
)
def test_what_makes_no_sense_is_wrong_usage(asymmetric, typed):
    with pytest.raises(UsageError):
        forecasts(asymmetric, NOTHING._replace(**typed))


def test_without_gpus_the_number_of_ranks_is_asked_for(two_packages, build):
    host = build(two_packages._replace(gpu_nodes=()).entries())

    with pytest.raises(UsageError, match="no GPU is visible"):
        forecasts(host, NOTHING)
    assert ["0-3", "4-7"] == [str(rank.cpus) for rank in forecasts(host, NOTHING._replace(launcher="deepspeed", num_ranks=2))[0].ranks]
    assert 2 == len(forecasts(host, NOTHING._replace(launcher="ipexrun"))[0].ranks)


def test_an_input_without_cpus_is_unusable(build):
    with pytest.raises(InputError, match="which CPUs are online"):
        forecasts(build({}), NOTHING)


def test_lists_hold_commas(two_packages):
    found = what_if_of("cpuset=0-1,4,mems=0,2")

    assert ("0-1,4", "0,2") == (str(found.cpus), str(found.mems))
