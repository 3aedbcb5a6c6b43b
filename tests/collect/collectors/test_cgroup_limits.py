"""Limits of control groups, in both versions."""

from numaaudit.bundle.tree import braces
from numaaudit.collect.collectors.cgroup_limits import COLLECTOR

NAMES = {name for pattern in COLLECTOR.files for name in braces(pattern)}


def test_has_what_a_cpuset_asks_for_and_gets_in_both_versions():
    assert {"cpuset.cpus", "cpuset.cpus.effective", "cpuset.mems.effective", "cpuset.effective_cpus", "cpuset.effective_mems"} <= NAMES


def test_has_quota_and_memory():
    assert {"cpu.max", "cpu.stat", "memory.max", "memory.numa_stat"} <= NAMES


def test_reads_no_list_of_processes():
    assert not {"cgroup.procs", "cgroup.threads", "tasks"} & NAMES
