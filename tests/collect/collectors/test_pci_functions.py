from numaaudit.collect.collector import Read
from numaaudit.collect.collectors.pci_functions import COLLECTOR
from numaaudit.collect.host_files import HostReader

ROOT_PORT = "sys/devices/pci0000:80/0000:80:01.0"
SWITCH = ROOT_PORT + "/0000:81:00.0"


def function(place, code, **files):
    address = place.rpartition("/")[2]
    up = "../" * 3
    return {
        "sys/bus/pci/devices/" + address: "@%sdevices/%s" % (up, place[len("sys/devices/") :]),
        place + "/class": code + "\n",
        **{"%s/%s" % (place, name): text for name, text in files.items()},
    }


HOST = {
    **function(ROOT_PORT, "0x060400", max_link_width="16\n"),
    **function(SWITCH, "0x060400", current_link_width="8\n"),
    **function(SWITCH + "/0000:82:00.0", "0x030200", numa_node="1\n", config="secret"),
    **function("sys/devices/pci0000:00/0000:00:01.0", "0x060400", max_link_width="4\n"),
    **function("sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0", "0x010601"),
    **function("sys/devices/pci0000:00/0000:00:02.0", "0x010802", numa_node="0\n"),
}


def collected(root):
    return [item for item in HostReader(root, {"pci": COLLECTOR})("pci") if isinstance(item, Read)]


def test_functions_that_matter_are_kept_with_the_ports_above_them(make_root):
    files = {item.path: item.data for item in collected(make_root(HOST)) if item.data is not None}

    assert files == {
        ROOT_PORT + "/class": b"0x060400\n",
        ROOT_PORT + "/max_link_width": b"16\n",
        SWITCH + "/class": b"0x060400\n",
        SWITCH + "/current_link_width": b"8\n",
        SWITCH + "/0000:82:00.0/class": b"0x030200\n",
        SWITCH + "/0000:82:00.0/numa_node": b"1\n",
        "sys/devices/pci0000:00/0000:00:02.0/class": b"0x010802\n",
        "sys/devices/pci0000:00/0000:00:02.0/numa_node": b"0\n",
    }


def test_the_place_of_each_is_in_its_link(make_root):
    links = {item.path.rpartition("/")[2]: item.link for item in collected(make_root(HOST)) if item.link is not None}

    assert links == {
        "0000:80:01.0": "../../../devices/pci0000:80/0000:80:01.0",
        "0000:81:00.0": "../../../devices/pci0000:80/0000:80:01.0/0000:81:00.0",
        "0000:82:00.0": "../../../devices/pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0",
        "0000:00:02.0": "../../../devices/pci0000:00/0000:00:02.0",
    }


def test_a_domain_of_five_digits_is_followed(make_root):
    vmd = "sys/devices/pci0000:00/0000:00:05.0/pci10000:00/10000:00:01.0"
    root = make_root({**function(vmd, "0x060400"), **function(vmd + "/10000:01:00.0", "0x010802")})

    assert [item.path for item in collected(root) if item.data] == [vmd + "/class", vmd + "/10000:01:00.0/class"]
