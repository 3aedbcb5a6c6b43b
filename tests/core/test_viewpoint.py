import pytest

from numaaudit.core.viewpoint import has_lxcfs, is_contained, unseen

HOST = {"pid": "pid:[4026531836]", "cgroup": "cgroup:[4026531835]", "mnt": "mnt:[4026531841]"}
OTHER_PIDS = {**HOST, "pid": "pid:[4026532178]"}
OTHER_CGROUPS = {**HOST, "cgroup": "cgroup:[4026532177]"}


@pytest.mark.parametrize(
    ("namespaces", "expected"),
    [(HOST, False), (OTHER_PIDS, True), (OTHER_CGROUPS, True), ({}, False), ({"pid": None}, False), ({"pid": 7, "cgroup": "x"}, False)],
)
def test_the_hosts_own_namespaces_have_fixed_numbers(namespaces, expected):
    assert is_contained(namespaces) is expected


def test_the_host_sees_itself():
    assert unseen(HOST, [("proc", "/proc"), ("tmpfs", "/sys/fs/cgroup"), ("fuse.lxcfs", "/var/lib/lxcfs")]) == []


def test_each_namespace_hides_its_own():
    assert unseen(OTHER_PIDS, []) == ["processes outside of this PID namespace"]
    assert unseen(OTHER_CGROUPS, []) == ["cgroups above its own, and what they limit"]


def test_what_a_runtime_masks_is_named_where_it_is_a_container():
    mounts = [("tmpfs", "/proc/acpi"), ("tmpfs", "/sys/firmware"), ("tmpfs", "/dev/shm")]

    assert unseen(HOST, mounts) == []
    assert unseen(OTHER_PIDS, mounts)[1:] == ["/proc/acpi, /sys/firmware: masked by the container's runtime"]


def test_of_many_files_the_first_are_named():
    mounts = [("tmpfs", "/sys/devices/system/cpu/cpu%d/thermal_throttle" % cpu) for cpu in range(64)]

    assert unseen(OTHER_PIDS, mounts)[1].endswith("cpu5/thermal_throttle and 58 more: masked by the container's runtime")


def test_what_lxcfs_stands_in_for_is_named():
    mounts = [("fuse.lxcfs", "/proc/cpuinfo"), ("fuse.lxcfs", "/sys/devices/system/cpu")]

    assert unseen({}, mounts) == ["the host's own /proc/cpuinfo, /sys/devices/system/cpu: lxcfs stands in for it"]


@pytest.mark.parametrize(("point", "expected"), [("/proc/meminfo", True), ("/sys/devices/system/cpu", True), ("/var/lib/lxcfs", False)])
def test_a_host_that_runs_lxcfs_for_others_is_none_of_its_containers(point, expected):
    assert has_lxcfs([("fuse.lxcfs", point)]) is expected
