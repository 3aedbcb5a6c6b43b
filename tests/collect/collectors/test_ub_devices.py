"""Ascend's unified-bus devices."""

from numaaudit.collect.collectors.ub_devices import COLLECTOR

FILES = {
    "sys/class/ubcore/udma0": "@../../devices/ub/udma0",
    "sys/devices/ub/udma0/device/numa": "3\n",
    "sys/devices/ub/udma0/device/guid": "1\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {"sys/class/ubcore/udma0": "../../devices/ub/udma0", "sys/devices/ub/udma0/device/numa": "3\n"}
