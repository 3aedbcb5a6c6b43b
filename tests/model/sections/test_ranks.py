"""Which process serves which GPU."""

import pytest

from numaaudit.model.sections.ranks import Ranks

CARD = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"


def reached(host):
    return {rank.subject: ([gpu.name for gpu in rank.gpus], rank.gpu_source) for rank in host.section(Ranks).all}


def with_render_node(entries):
    """The entries without driver tables; process 101 has a render node of the second GPU open, an AMD one."""
    kept = {path: entry for path, entry in entries.items() if "/fd/" not in path and "compute-apps" not in path and "nvidia" not in path}
    return kept | {
        "root/proc/101/fd/5": "@/dev/dri/renderD129",
        f"{CARD}/vendor": "0x1002\n",
        "root/sys/class/drm/renderD129": "@../../devices/pci0000:97/0000:97:01.0/0000:98:00.0/drm/renderD129",
    }


def test_an_open_render_node_ties_a_rank_to_the_gpu_above_it(root, build):
    assert reached(build(with_render_node(root("2p-2n-2g"))))["rank:1"] == (["0000:98:00.0"], "open-device")


def test_a_render_node_that_sysfs_does_not_list_ties_to_nothing(root, build):
    entries = with_render_node(root("2p-2n-2g"))
    del entries["root/sys/class/drm/renderD129"]

    assert "0000:98:00.0" not in [name for names, _ in reached(build(entries)).values() for name in names]


@pytest.mark.parametrize(
    ("comm", "argv"),
    [
        ("nvidia-persiste", "/usr/bin/nvidia-persistenced\0--user\0nvidia\0"),
        ("nvidia-cuda-mps", "nvidia-cuda-mps-server\0"),
        ("dcgm-exporter", "/usr/bin/dcgm-exporter\0"),
        ("Xorg", ""),
        ("main", "/usr/bin/nv-hostengine\0-n\0"),
    ],
)
def test_a_program_that_only_watches_or_drives_a_gpu_is_no_rank(root, build, comm, argv):
    entries = root("2p-2n-2g")
    status = entries["root/proc/101/status"].replace("Name:\tpython3", f"Name:\t{comm}")

    assert list(reached(build(entries | {"root/proc/101/status": status, "root/proc/101/cmdline": argv}))) == ["rank:0"]


def without(entries, part):
    return {path: entry for path, entry in entries.items() if part not in path}


def forked(entries, cpus="2-3,6-7", pid=300):
    """The entries with a process that rank 1 forked: its environment and its open devices, and these CPUs."""
    child = {path.replace("/101/", f"/{pid}/"): text for path, text in entries.items() if path.startswith("root/proc/101/")}
    child = without(child, "/task/")
    status = child[f"root/proc/{pid}/status"].replace("Pid:\t101\nPPid:\t1\n", f"Pid:\t{pid}\nPPid:\t101\n")
    status = status.replace("NSpid:\t101", f"NSpid:\t{pid}").replace("Tgid:\t101", f"Tgid:\t{pid}")
    return entries | child | {f"root/proc/{pid}/status": status.replace("Cpus_allowed:\tcc\n", "").replace("2-3,6-7", cpus)}


@pytest.mark.parametrize("gone", ["nothing", "compute-apps"])
def test_a_process_that_a_rank_forked_with_its_cpus_is_no_rank(root, build, gone):
    entries = without(forked(root("2p-2n-2g")), gone)

    assert list(reached(build(entries))) == ["rank:0", "rank:1"]


def test_one_with_other_cpus_is_judged_by_its_pid_and_its_parent_stays_the_rank(root, build):
    assert list(reached(build(forked(root("2p-2n-2g"), cpus="0-7")))) == ["rank:0", "rank:1", "pid:300"]


def test_a_child_that_the_driver_lists_is_a_rank_of_its_own(root, build):
    entries = forked(root("2p-2n-2g"))
    path = next(path for path in entries if "compute-apps" in path)
    row = "GPU-11111111-1111-2222-3333-444444444444, 300, python3, 1024 MiB\n"

    assert list(reached(build(entries | {path: entries[path] + row}))) == ["rank:0", "pid:101", "pid:300"]


def looking(entries, environ=""):
    """The entries with a process that has the second GPU open, and that the driver does not list."""
    status = entries["root/proc/101/status"].replace("Pid:\t101", "Pid:\t400").replace("Tgid:\t101", "Tgid:\t400")
    more = {"root/proc/400/status": status.replace("NSpid:\t101", "NSpid:\t400"), "root/proc/400/environ": environ}
    return entries | more | {"root/proc/400/fd/3": "@/dev/nvidiactl", "root/proc/400/fd/4": "@/dev/nvidia1"}


def test_a_process_that_the_driver_does_not_list_beside_another_of_the_same_gpu_is_no_rank(root, build):
    assert list(reached(build(looking(root("2p-2n-2g"))))) == ["rank:0", "rank:1"]


def test_one_with_a_rank_is_one_and_so_is_one_of_a_gpu_for_which_the_driver_lists_nobody(root, build):
    entries = looking(root("2p-2n-2g"))
    path = next(path for path in entries if "compute-apps" in path)
    unlisted = entries | {path: entries[path].replace(", 101, ", ", 7777, ")}

    assert list(reached(build(looking(root("2p-2n-2g"), "RANK=7\0")))) == ["rank:0", "rank:1", "rank:7"]
    assert list(reached(build(unlisted))) == ["rank:0", "rank:1", "pid:400"]
