"""NA320: a GPU on a NUMA node without memory."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

MEMINFO = "root/sys/devices/system/node/node1/meminfo"
EMPTY = {MEMINFO: "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n"}
FIRST, SECOND = "gpu:0000:17:00.0", "gpu:0000:98:00.0"


@pytest.fixture
def failure(judge):
    def of(host):
        (found,) = (each for each in judge(host, "NA320") if each.outcome is Outcome.FAIL)
        return found

    return of


def test_silent_where_there_is_memory(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA320") == {(FIRST, "pass"), (SECOND, "pass")}


def test_names_the_gpu_and_the_rank_that_uses_it(root, build, failure):
    found = failure(build(root("2p-2n-2g") | EMPTY))

    assert (found.subject, found.severity, found.related) == (SECOND, None, ("numa_node:1", "rank:1"))
    assert (found.facts["numa_node"], str(found.facts["cpus"])) == (1, "2-3,6-7")


def test_a_note_while_no_rank_uses_it(root, removed, build, failure):
    found = failure(build(removed(root("2p-2n-2g"), "root/proc/101") | EMPTY))

    assert (found.severity, found.message) == (Severity.INFO, "unused")


def test_silent_where_the_numa_node_has_no_cpus(root, build, outcomes):
    cpus = {"root/sys/devices/system/node/node1/cpulist": "\n", "root/sys/devices/system/node/node0/cpulist": "0-7\n"}

    assert outcomes(build(root("2p-2n-2g") | EMPTY | cpus), "NA320") == {(FIRST, "pass"), (SECOND, "not_applicable")}


def test_unknown_where_its_size_was_not_read(root, removed, build, outcomes):
    assert outcomes(build(removed(root("2p-2n-2g"), MEMINFO)), "NA320") == {(FIRST, "pass"), (SECOND, "unknown")}
