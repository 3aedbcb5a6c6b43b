"""What holds clocks down, as drivers of several years print it."""

import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.nvidia_smi_clocks import GpuClocks, NvidiaSmiClocks, Reason, parse

HEAD = "==============NVSMI LOG==============\n\nTimestamp : Sun Nov 29 10:15:00 2026\nDriver Version : 580.1\n\nAttached GPUs : 2\n"
GPU = """GPU 00000000:{bus}:00.0
    Performance State                 : P0
    {section}
        Idle                          : Not Active
        SW Power Cap                  : {power}
        HW Slowdown                   : {slowdown}
            HW Thermal Slowdown       : {slowdown}
            HW Power Brake Slowdown   : Not Active
        SW Thermal Slowdown           : Not Active
    Clocks Event Reasons Counters
        SW Power Capping              : 12234991553 us
        SW Thermal Slowdown           : 11591399010 us
    GPU Power Readings
        Power Draw                    : 699.12 W
    Clocks
        Graphics                      : 1410 MHz
        SM                            : 1410 MHz
    Max Clocks
        SM                            : 1980 MHz
"""
ADDRESS = PciAddress.parse("0000:19:00.0")


def gpu(section="Clocks Event Reasons", power="Not Active", slowdown="Not Active", bus="19"):
    return GPU.format(section=section, power=power, slowdown=slowdown, bus=bus)


@pytest.mark.parametrize("section", ["Clocks Event Reasons", "Clocks Throttle Reasons"])
def test_the_active_reasons_with_their_lines_and_the_clocks(section):
    slow = gpu(section, "Active", "Active")

    reasons = (Reason("SW Power Cap", 11), Reason("HW Slowdown", 12), Reason("HW Thermal Slowdown", 13))
    assert parse(HEAD + slow).gpus == (GpuClocks(ADDRESS, reasons, 1410, 1980),)


def test_counters_of_the_same_names_are_no_reasons():
    assert parse(HEAD + gpu()).gpus == (GpuClocks(ADDRESS, (), 1410, 1980),)


def test_each_gpu_has_its_own():
    found = parse(HEAD + gpu() + "\n" + gpu(power="Active", bus="3B"))

    assert [(str(each.pci_address), each.reasons) for each in found.gpus] == [
        ("0000:19:00.0", ()),
        ("0000:3b:00.0", (Reason("SW Power Cap", 31),)),
    ]


def test_what_the_driver_does_not_tell_is_not_known():
    text = "GPU 00000000:19:00.0\n    Clocks Throttle Reasons : N/A\n    Clocks\n        SM : N/A\n"

    assert parse(text) == NvidiaSmiClocks((GpuClocks(ADDRESS, None, None, None),))


@pytest.mark.parametrize("text", ["", "No devices were found\n", HEAD, "GPU 0: NVIDIA H100\n"])
def test_a_text_without_a_gpu_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)
