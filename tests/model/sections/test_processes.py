"""What processes may use and do use. Whose text is whose: test_tasks."""

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Processes

LSCPU = "Architecture: x86_64\nCPU(s): 4\nOn-line CPU(s) list: 0-3\n\n"
OLD = "7f0000000000 default anon=3 N1=3\n"


def process(host, pid):
    return host.section(Processes).by_pid(pid)


def test_files_below_proc_are_put_together(host):
    found = process(host("2p-2n-2g"), 100)

    assert (found.comm, found.argv, found.ns_pids, found.cgroup_path) == ("python3", ("python3", "-m", "worker"), (100,), "/work")
    assert (str(found.allowed_cpus), str(found.effective_cpus), str(found.allowed_mems)) == ("0-1,4-5", "0-1,4-5", "0-1")
    assert (found.policy, found.bytes_by_node) == ("default", {0: (500 + 76800 + 8192 + 3) * 4096})
    assert found.variables["LOCAL_RANK"] == "0"
    assert [(thread.tid, thread.comm, thread.cpu_ticks, thread.cpu_ticks_delta) for thread in found.threads] == [
        (100, "python3", 800, 80),
        (110, "worker", 200, 20),
    ]
    assert not found.is_excerpt


def test_a_mask_is_cut_by_the_cpuset_and_by_what_is_online(root, build):
    entries = root("2p-2n-2g") | {"root/sys/fs/cgroup/work/cpuset.cpus.effective": "0,4", "root/sys/devices/system/cpu/online": "0-3"}
    found = process(build(entries), 100)

    assert (str(found.allowed_cpus), str(found.effective_cpus), str(found.threads[0].effective_cpus)) == ("0-1,4-5", "0", "0")


def test_what_cannot_be_read_is_a_gap(root, build):
    entries = {path: text for path, text in root("2p-2n-2g").items() if path != "root/proc/100/numa_maps"}
    host = build(entries)

    assert process(host, 100).maps == Gap("absent", "root/proc/100/numa_maps", "not in the input")
    assert process(host, 100).maps in host.gaps


def test_an_open_device_is_the_target_of_a_link(host):
    assert process(host("2p-2n-2g"), 100).devices == (("root/proc/100/fd/3", "/dev/nvidiactl"), ("root/proc/100/fd/4", "/dev/nvidia0"))


def test_a_pasted_mask_is_an_excerpt_with_its_line(build):
    found = process(build({"pasted/paste.txt": LSCPU + "pid 7's current affinity list: 2-5\n"}), 7)

    assert (str(found.allowed_cpus), str(found.effective_cpus), found.is_excerpt, found.threads) == ("2-5", "2-3", True, ())
    assert [(line.line, line.text) for line in found.evidence] == [(5, "pid 7's current affinity list: 2-5")]


def test_of_a_part_of_numa_maps_only_the_policy_is_known(build):
    host = build({"pasted/paste.txt": "$ head -1 /proc/7/numa_maps\n7f0000000000 bind:1 anon=3 N1=3 kernelpagesize_kB=4\n"})

    assert (process(host, 7).policy, process(host, 7).bytes_by_node) == ("bind:1", None)
    assert Gap("cut", "pasted/paste.txt", "only a part of a numa_maps is shown") in host.gaps


def test_pages_of_unknown_size_are_no_bytes(build):
    host = build({"pasted/paste.txt": "$ cat /proc/7/numa_maps\n" + OLD})

    assert process(host, 7).bytes_by_node is None
    assert Gap("absent", "pasted/paste.txt", "the kernel did not print the size of the pages (before Linux 4.0)") in host.gaps


def test_numastat_stands_in_for_numa_maps(build):
    table = (
        "Per-node process memory usage (in MBs) for PID 7 (worker)\n         Node 0 Total\n         ------ -----\nTotal         2     2\n"
    )

    assert process(build({"pasted/paste.txt": table}), 7).bytes_by_node == {0: 2 << 20}


def test_a_process_is_found_by_its_pid_in_any_namespace(build):
    found = build({"root/proc/700/status": "Name:\tp\nPid:\t700\nNSpid:\t700\t7\n"}).section(Processes)

    assert [[each.pid for each in found.by_any_pid(pid)] for pid in (700, 7, 8)] == [[700], [700], []]


def test_a_mask_of_cpus_that_are_all_offline_is_empty(build):
    found = process(build({"pasted/paste.txt": LSCPU + "pid 7's current affinity list: 8\n"}), 7)

    assert found.effective_cpus == CpuSet()
