from numaaudit.collect.collector import Read
from numaaudit.collect.collectors.network_interfaces import COLLECTOR
from numaaudit.collect.host_files import HostReader


def test_interfaces_that_are_devices_are_kept_and_virtual_ones_are_not(make_root):
    place = "sys/devices/pci0000:80/0000:81:00.0/net/eth0"
    root = make_root(
        {
            "sys/class/net/eth0": "@../../devices/pci0000:80/0000:81:00.0/net/eth0",
            place + "/device": "@../../../0000:81:00.0",
            place + "/mtu": "9000\n",
            "sys/class/net/veth1": "@../../devices/virtual/net/veth1",
            "sys/devices/virtual/net/veth1/mtu": "1500\n",
        }
    )

    found = {item.path: item.link or item.data for item in HostReader(root, {"net": COLLECTOR})("net") if isinstance(item, Read)}

    assert found == {
        "sys/class/net/eth0": "../../devices/pci0000:80/0000:81:00.0/net/eth0",
        place + "/device": "../../../0000:81:00.0",
        place + "/mtu": b"9000\n",
    }
