"""The host itself: name, kernel, view and settings."""

import pytest

from numaaudit.bundle.manifest import Manifest
from numaaudit.model.host import build_host
from numaaudit.model.sections.system import System

PROC = "root/proc"


def system_of(host):
    return host.section(System)


def without(entries, *parts):
    return {path: text for path, text in entries.items() if not any(part in path for part in parts)}


def test_name_kernel_and_settings_come_from_proc(host):
    system = system_of(host("2p-2n-2g"))

    assert (system.hostname, system.kernel, system.view) == ("gpu-host", "6.1.0", "host")
    assert (system.numa_balancing, system.zone_reclaim_mode, system.thp) == (0, 0, None)


def test_the_version_tells_the_kernel_where_osrelease_is_missing(root, build):
    entries = without(root("2p-2n-2g"), "osrelease") | {f"{PROC}/version": "Linux version 5.14.0-1.el9 (build@host) #1 SMP\n"}

    assert system_of(build(entries)).kernel == "5.14.0-1.el9"


def test_uname_tells_what_proc_does_not(root, build):
    entries = without(root("2p-2n-2g"), "kernel/hostname", "osrelease", "proc/version")
    entries["commands/uname_-a.out"] = "Linux rack7 6.8.0-31-generic #31-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux\n"
    system = system_of(build(entries))

    assert (system.hostname, system.kernel, system.arch) == ("rack7", "6.8.0-31-generic", "x86_64")


@pytest.mark.parametrize(
    ("path", "text", "view"),
    [
        ("version", "Linux version 4.4.0 #1 SMP gVisor\n", "sandbox"),
        ("mounts", "lxcfs /proc/cpuinfo fuse.lxcfs rw,nosuid 0 0\n", "container"),
        ("cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor\n", "vm"),
    ],
)
def test_whose_view_it_is(root, build, path, text, view):
    assert system_of(build(without(root("2p-2n-2g"), "cpuinfo") | {f"{PROC}/{path}": text})).view == view


@pytest.mark.parametrize(("text", "expected"), [("3\n", 3), ("-1\n", None), ("on\n", None), ("\u0663\n", None)])
def test_a_setting_is_a_number_or_not_known(root, build, text, expected):
    assert system_of(build(root("2p-2n-2g") | {f"{PROC}/sys/kernel/numa_balancing": text})).numa_balancing == expected


def test_the_bracketed_word_of_transparent_huge_pages(root, build):
    entries = root("2p-2n-2g") | {"root/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n"}

    assert system_of(build(entries)).thp == "madvise"


def test_a_container_is_told_by_its_namespaces_and_says_what_it_cannot_see(tree):
    manifest = Manifest("0", "0", "h", "", "", "2026-11-29T10:15:00Z", collector={"namespaces": {"pid": "pid:[4026532178]"}})
    system = system_of(build_host(tree("2p-2n-2g"), manifest))

    assert (system.view, system.machine) == ("container", None)
    assert [gap.reason for gap in system.gaps] == ["not seen from here: processes outside of this PID namespace"]


def test_a_host_that_runs_lxcfs_for_others_is_the_host(root, build):
    system = system_of(build(root("2p-2n-2g") | {f"{PROC}/mounts": "lxcfs /var/lib/lxcfs fuse.lxcfs rw 0 0\n"}))

    assert (system.view, system.gaps) == ("host", ())
