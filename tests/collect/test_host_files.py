import os

from numaaudit.collect.collector import NOT_HERE, Collector, Read
from numaaudit.collect.host_files import HostReader

PCI = "sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0"


def read(root, unit):
    return [item._replace(duration_ms=0.0) for item in HostReader(root, {"unit": unit})("unit") if isinstance(item, Read)]


def test_bytes_are_kept_at_the_real_path_and_links_as_links(make_root):
    root = make_root({"sys/bus/pci/devices/0000:81:00.0": "@../../../" + PCI[4:], PCI + "/numa_node": "1\n"})

    found = read(root, Collector(files=("sys/bus/pci/devices/*/numa_node",)))

    assert found == [
        Read("unit", "sys/bus/pci/devices/0000:81:00.0", link="../../../devices/pci0000:80/0000:80:01.0/0000:81:00.0"),
        Read("unit", PCI + "/numa_node", data=b"1\n"),
    ]


def test_a_link_is_evidence_by_its_target_alone(make_root):
    root = make_root({PCI + "/driver": "@../../../../bus/pci/drivers/nvidia"})

    found = read(root, Collector(links=(PCI + "/driver",)))

    assert found == [Read("unit", PCI + "/driver", link="../../../../bus/pci/drivers/nvidia")]


def test_below_proc_the_path_asked_for_is_kept(make_root):
    root = make_root({"proc/mounts": "@self/mounts", "proc/self": "@4242", "proc/4242/mounts": "proc /proc proc rw 0 0\n"})

    assert read(root, Collector(files=("proc/mounts",))) == [Read("unit", "proc/mounts", data=b"proc /proc proc rw 0 0\n")]


def test_a_plain_name_that_is_not_there_is_absent_and_an_optional_one_is_nothing(make_root):
    root = make_root({"sys/devices/system/cpu/cpu0/topology/core_id": "0\n"})

    found = read(root, Collector(files=("sys/devices/system/node/online", "sys/devices/system/cpu/cpu[0-9]*/topology/{core_id,die_id}")))

    assert found == [
        Read("unit", "sys/devices/system/node/online", "absent", reason=NOT_HERE),
        Read("unit", "sys/devices/system/cpu/cpu0/topology/core_id", data=b"0\n"),
    ]


def test_an_absolute_link_stays_below_the_root(make_root):
    root = make_root({"etc/hostname": "@/run/hostname", "run/hostname": "gpu-7\n"})

    assert read(root, Collector(files=("etc/hostname",))) == [
        Read("unit", "etc/hostname", link="/run/hostname"),
        Read("unit", "run/hostname", data=b"gpu-7\n"),
    ]


def test_the_same_file_by_two_ways_is_read_once(make_root):
    root = make_root({"sys/class/net/eth0": "@../../devices/eth0", "sys/devices/eth0/mtu": "9000\n"})

    found = read(root, Collector(files=("sys/class/net/*/mtu", "sys/devices/eth0/mtu")))

    assert [item.path for item in found] == ["sys/class/net/eth0", "sys/devices/eth0/mtu"]


def test_a_device_node_is_an_empty_file_with_its_numbers_beside_it():
    assert read("/", Collector(devices=("dev/null",))) == [Read("unit", "dev/null", data=b"", reason="character device 1:3")]


def test_only_if_chooses_among_the_paths(make_root):
    root = make_root({"sys/class/net/eth0/mtu": "1500\n", "sys/class/net/veth1/mtu": "1500\n"})
    unit = Collector(files=("sys/class/net/*/mtu",), only_if=lambda tree, paths: [path for path in paths if "veth" not in path])

    assert [item.path for item in read(root, unit)] == ["sys/class/net/eth0/mtu"]


def test_a_directory_in_the_place_of_a_file_is_nothing(make_root):
    root = make_root({"proc/interrupts/x": ""})

    assert read(root, Collector(files=("proc/interrupts",))) == []


def test_a_cgroup_directory_gives_the_files_it_has(make_root):
    root = make_root({"sys/fs/cgroup/job/cpuset.cpus.effective": "0-3\n", "sys/fs/cgroup/job/cgroup.procs": "7\n"})
    reader = HostReader(root, {"limits": Collector(files=("cpuset.{cpus,cpus.effective}",), scope="cgroup")})

    found = [item._replace(duration_ms=0.0) for item in reader.in_cgroup("sys/fs/cgroup/job") if isinstance(item, Read)]

    assert found == [Read("limits", "sys/fs/cgroup/job/cpuset.cpus.effective", data=b"0-3\n")]


def test_a_link_loop_ends(make_root):
    root = make_root({"sys/class/a": "@b", "sys/class/b": "@a"})

    assert [(item.outcome, item.reason) for item in read(root, Collector(files=("sys/class/a",)))] == [
        ("absent", "too many symbolic links")
    ]


def test_a_file_above_the_limit_of_a_member_is_cut(make_root):
    root = make_root({"proc/interrupts": ""})
    os.truncate(root + "/proc/interrupts", 300 << 20)

    [found] = read(root, Collector(files=("proc/interrupts",)))
    assert (found.outcome, found.data) == ("cut", None)
