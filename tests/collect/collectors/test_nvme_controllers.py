"""NVMe controllers and the functions they are."""

from numaaudit.collect.collectors.nvme_controllers import COLLECTOR

FILES = {
    "sys/class/nvme/nvme0": "@../../devices/pci0000:00/0000:02:00.0/nvme/nvme0",
    "sys/devices/pci0000:00/0000:02:00.0/nvme/nvme0/address": "0000:02:00.0\n",
    "sys/devices/pci0000:00/0000:02:00.0/nvme/nvme0/serial": "S3CR3T\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/class/nvme/nvme0": "../../devices/pci0000:00/0000:02:00.0/nvme/nvme0",
        "sys/devices/pci0000:00/0000:02:00.0/nvme/nvme0/address": "0000:02:00.0\n",
    }
