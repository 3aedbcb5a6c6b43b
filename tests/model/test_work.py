"""Threads weighed by CPU time."""

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Processes
from numaaudit.model.work import union, work_of


def work(host):
    return work_of(host.section(Processes).by_pid(101))


def test_weighs_by_the_time_between_two_readings(host):
    found = work(host("2p-2n-2g"))

    assert [(thread.tid, share) for thread, share in found.shares] == [(101, 0.8), (111, 0.2)]
    assert (found.is_measured, found.is_complete) == (True, True)


def test_weighs_by_the_total_where_there_is_one_reading(root, build):
    found = work(build({path: entry for path, entry in root("2p-2n-2g").items() if not path.startswith("again/")}))

    assert ([share for _, share in found.shares], found.is_measured) == ([0.8, 0.2], False)


def test_is_incomplete_where_a_thread_was_not_read(root, build):
    found = work(build({path: entry for path, entry in root("2p-2n-2g").items() if "task/111" not in path}))

    assert ([share for _, share in found.shares], found.is_complete) == ([1.0], False)


def test_names_the_busiest_threads_that_match_first(host):
    found = work(host("2p-2n-2g"))

    assert [thread.tid for thread, _ in found.matching(lambda cpus: True)] == [101, 111]
    assert union(found.matching(lambda cpus: True)) == CpuSet.parse("2-3,6-7")
    assert found.share(lambda cpus: 0 in cpus) == 0
