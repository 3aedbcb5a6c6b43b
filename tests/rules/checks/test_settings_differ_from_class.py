"""NA904: settings against the class."""

import pytest

from numaaudit.compare.hardware_class import expecting
from numaaudit.model.sections.hardware import Hardware

BALANCING, PARAMS = "root/proc/sys/kernel/numa_balancing", "root/proc/driver/nvidia/params"


def test_silent_on_a_host_of_the_class(root, of_class, outcomes):
    assert outcomes(of_class(root("2p-2n-2g")), "NA904") == {("host", "pass")}


def test_does_not_apply_without_a_class(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA904") == {("host", "not_applicable")}


def test_names_the_setting_and_both_values(root, of_class, judge):
    (failure,) = judge(of_class(root("2p-2n-2g") | {BALANCING: "1\n"}), "NA904")

    assert (failure.facts["found"], failure.facts["expected"]) == ("NUMA balancing 1", "NUMA balancing 0")
    assert [(each.path, each.text) for each in failure.evidence] == [(BALANCING, "1")]


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [('CoherentGPUMemoryMode: "driver"\n', "fail"), ('CoherentGPUMemoryMode: "numa"\n', "pass"), ('X: ""\n', "unknown")],
)
def test_where_the_memory_of_coherent_gpus_appears(root, build, outcomes, mode, outcome):
    of_class = build(root("2p-2n-2g") | {PARAMS: 'CoherentGPUMemoryMode: "numa"\n'}).section(Hardware).found

    assert outcomes(expecting(build(root("2p-2n-2g") | {PARAMS: mode}), of_class), "NA904") == {("host", outcome)}


def test_unknown_where_a_setting_is_not_told(root, of_class, removed, outcomes):
    assert outcomes(of_class(removed(root("2p-2n-2g"), "numa_balancing")), "NA904") == {("host", "unknown")}
