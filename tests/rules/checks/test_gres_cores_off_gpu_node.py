"""NA608: cores of gres.conf and the NUMA nodes of GPUs."""

import pytest

CONF = "root/etc/slurm/gres.conf"


@pytest.fixture
def entries(two_packages):
    """GPUs 0 to 2 on NUMA node 0, whose cores are 0-3, GPU 3 on NUMA node 1 with cores 4-7."""
    return two_packages.entries() | {"root/proc/sys/kernel/hostname": "gpu1.example\n"}


def of_last(outcome):
    return {(f"gpu:0000:{bus}:00.0", "not_applicable") for bus in ("10", "11", "12")} | {("gpu:0000:13:00.0", outcome)}


def test_silent_without_gres_conf(entries, build, outcomes):
    assert outcomes(build(entries), "NA608") == set()


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("Name=gpu File=/dev/nvidia3 Cores=4-7", "pass"),
        ("Name=gpu File=/dev/nvidia3 Cores=3-4", "pass"),
        ("Name=gpu File=/dev/nvidia3 Cores=0-3", "fail"),
        ("NodeName=gpu[1-2] Name=gpu File=/dev/nvidia3 Cores=0-3", "fail"),
        ("NodeName=gpu2 Name=gpu File=/dev/nvidia3 Cores=0-3", "not_applicable"),
        ("Name=gpu File=/dev/nvidia3", "not_applicable"),
        ("AutoDetect=nvml Name=gpu File=/dev/nvidia3 Cores=0-3", "not_applicable"),
        ("Name=gpu File=/dev/nvidia3 Cores=4-8", "unknown"),
    ],
)
def test_the_cores_of_a_gpu(entries, build, outcomes, line, outcome):
    assert outcomes(build(entries | {CONF: line + "\n"}), "NA608") == of_last(outcome)


def test_numbers_of_the_kernel_are_recognised(machine, build, judge):
    from numaaudit.core.cpuset import CpuSet

    cores = tuple(CpuSet((core,)) for core in range(8))
    interleaved = machine(("0,2,4,6", "1,3,5,7"), ("0,2,4,6", "1,3,5,7"), cores, cores, (0, 0, 1, 1))
    host = build(interleaved.entries() | {CONF: "Name=gpu File=/dev/nvidia[2-3] Cores=1,3\n"})

    failures = [each for each in judge(host, "NA608") if each.outcome.value == "fail"]
    assert [(str(each.facts["cpus"]), str(each.facts["local_cores"]), bool(each.facts["reading"])) for each in failures] == [
        ("2,6", "4-7", True)
    ] * 2


def test_unknown_without_the_gpus_numa_node(entries, build, outcomes):
    entries["root/sys/bus/pci/devices/0000:13:00.0/numa_node"] = "-1\n"
    entries["root/sys/bus/pci/devices/0000:13:00.0/local_cpulist"] = "0-15\n"

    assert outcomes(build(entries | {CONF: "Name=gpu File=/dev/nvidia3 Cores=0-3\n"}), "NA608") == of_last("unknown")
