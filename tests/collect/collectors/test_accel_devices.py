"""Accelerators as their class shows them: the devices, without those that only control one."""

from numaaudit.collect.collectors.accel_devices import COLLECTOR

FILES = {
    "sys/class/accel/accel0": "@../../devices/pci0000:00/0000:01:00.0/accel/accel0",
    "sys/class/accel/accel_controlD0": "@../../devices/x",
    "sys/class/habanalabs/hl1": "@../../devices/pci0000:00/0000:02:00.0/habanalabs/hl1",
    "sys/class/habanalabs/hl_controlD1": "@../../devices/x",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/class/accel/accel0": "../../devices/pci0000:00/0000:01:00.0/accel/accel0",
        "sys/class/habanalabs/hl1": "../../devices/pci0000:00/0000:02:00.0/habanalabs/hl1",
    }
