"""NA405: heat and power."""

import pytest

CLOCKS = "commands/nvidia-smi_-q_-d_PERFORMANCE,POWER,CLOCK.out"
GPU = """GPU 00000000:98:00.0
    Clocks Event Reasons
        Idle                          : Not Active
        SW Power Cap                  : {power}
        HW Slowdown                   : {slowdown}
            HW Thermal Slowdown       : {slowdown}
    Clocks
        SM                            : {clock}
    Max Clocks
        SM                            : 2000 MHz
"""


def clocks(power="Not Active", slowdown="Not Active", clock="1980 MHz"):
    return {CLOCKS: "\nAttached GPUs : 1\n" + GPU.format(power=power, slowdown=slowdown, clock=clock)}


def test_silent_without_the_command(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA405") == set()


def test_a_slowdown_is_a_note_for_the_gpus_rank(root, build, outcomes, judge):
    host = build(root("2p-2n-2g") | clocks(slowdown="Active"))

    assert outcomes(host, "NA405") == {("gpu:0000:98:00.0", "fail")}
    (failure,) = judge(host, "NA405")
    assert (failure.facts["reasons"], failure.related) == ("HW Slowdown, HW Thermal Slowdown", ("rank:1",))
    assert [(each.path, each.line) for each in failure.evidence] == [(CLOCKS, 7), (CLOCKS, 8)]


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, "pass"),
        ({"power": "Active", "clock": "1600 MHz"}, "pass"),
        ({"power": "Active", "clock": "1599 MHz"}, "fail"),
        ({"power": "Active", "clock": "N/A"}, "pass"),
        ({"power": "N/A", "slowdown": "N/A"}, "pass"),
    ],
)
def test_a_power_limit_counts_where_it_costs_much(root, build, outcomes, given, outcome):
    assert outcomes(build(root("2p-2n-2g") | clocks(**given)), "NA405") == {("gpu:0000:98:00.0", outcome)}


def test_an_idle_gpu_is_not_judged(root, build, outcomes):
    idle = {path: text.replace("Idle                          : Not Active", "Idle : Active") for path, text in clocks("Active").items()}

    assert outcomes(build(root("2p-2n-2g") | idle), "NA405") == {("gpu:0000:98:00.0", "not_applicable")}


def test_unknown_where_the_driver_does_not_tell(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {CLOCKS: "GPU 00000000:98:00.0\n    Clocks Throttle Reasons : N/A\n"}), "NA405") == {
        ("gpu:0000:98:00.0", "unknown")
    }
