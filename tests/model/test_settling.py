"""Which commands a pasted text still needs."""

from numaaudit.model.settling import settling_commands

LSCPU = "Architecture: x86_64\nCPU(s): 4\nOn-line CPU(s) list: 0-3\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-1\nNUMA node1 CPU(s): 2-3\n\n"
MATRIX = "\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-1\t0\n\n"
APPS = "gpu_uuid, pid\nGPU-1, 7\n\n"
QUERY = "index, uuid\n0, GPU-1\n\n"
STATUS = "/proc/7/task/{0}/status:Pid:\t{0}\n/proc/7/task/{0}/status:Cpus_allowed_list:\t0-1\n\n"
COMPUTE_APPS = "nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv"


def commands(build, text):
    return settling_commands(build({"pasted/paste.txt": text}))


def test_of_a_matrix_alone_cpus_and_processes_are_missing(build):
    assert commands(build, MATRIX) == ("lscpu", COMPUTE_APPS, "nvidia-smi --query-gpu=index,uuid,pci.bus_id,name --format=csv")


def test_of_cpus_alone_gpus_and_processes_are_missing(build):
    assert commands(build, LSCPU) == ("nvidia-smi topo -m", COMPUTE_APPS, "grep -H Cpus_allowed_list /proc/PID/task/*/status")


def test_with_the_drivers_table_the_ranks_threads_and_pages_are_missing(build):
    text = LSCPU + MATRIX + QUERY + APPS + "pid 7's current affinity list: 0-1\n"

    assert commands(build, text) == ("grep -H Cpus_allowed_list /proc/7/task/*/status", "cat /proc/7/numa_maps")


def test_of_an_npu_its_own_tools_matrix_is_missing(build):
    text = "NPU ID    Chip ID    Chip Logic ID    Chip Name\n0         0          0                Ascend 910B\n"

    assert commands(build, text) == ("lscpu", "npu-smi info -t topo", "numaaudit collect --match NAME")


def test_a_whole_transcript_lacks_nothing(build):
    maps = "$ cat /proc/7/numa_maps\n7f0000000000 default anon=3 N0=3 kernelpagesize_kB=4\n"
    text = LSCPU + MATRIX + QUERY + APPS + STATUS.format(7) + STATUS.format(8) + maps

    assert commands(build, text) == ()
