"""Sums over readings that are written by hand."""

from numaaudit.collect.schedule import Schedule
from numaaudit.collect.window_reading import Reading
from numaaudit.collect.window_totals import MOST_THREADS, WindowTotals

NUMA_NODES = {0: 0, 1: 0, 2: 1, 3: 1}
PATH = "proc/vmstat"


def watched(*threads, counters=None, numa_nodes=NUMA_NODES, late=(), missed=(), most_threads=MOST_THREADS):
    """The document of a window whose readings saw these threads of PID 7, one second apart."""
    totals = WindowTotals(Schedule(30.0, 1.0), numa_nodes, most_threads)
    for number, seen in enumerate(threads):
        gone = missed if number == len(threads) - 1 else ()
        totals.add(Reading(number, float(number), number in late, gone, {PATH: counters[number]} if counters else {}, {7: seen}))
    return totals.document((1, 2), 3.5)


def process(document):
    return document["processes"][0]


def test_a_thread_that_ran_where_it_was():
    document = watched([(8, 100, 10, 2)], [(8, 100, 30, 2)], [(8, 100, 35, 2)])

    assert process(document)["threads"] == [
        {
            "tid": 8, "start_ticks": 100, "cpu_ticks": 25, "cpu_moves": 0, "numa_node_moves": 0, "readings": 3, "ran": 2, "cpus": "2",
            "readings_by_numa_node": {"1": 2},
        }
    ]  # fmt: skip
    assert (document["cpu_ticks"], document["num_threads"], document["seconds"], document["readings"]) == ([20, 5], [1, 1], 2.0, 2)
    assert (document["ends"], document["between_ends_s"]) == ([1, 2], 3.5)


def test_moves_between_cpus_and_between_numa_nodes_are_told_apart():
    document = watched([(8, 100, 0, 0)], [(8, 100, 9, 1)], [(8, 100, 18, 2)], [(8, 100, 27, 2)])

    assert (document["cpu_moves"], document["numa_node_moves"]) == ([1, 1, 0], [0, 1, 0])
    assert (process(document)["cpu_moves"], process(document)["numa_node_moves"]) == (2, 1)
    assert process(document)["threads"][0]["readings_by_numa_node"] == {"0": 1, "1": 2}


def test_where_a_thread_sleeps_is_old_and_does_not_count():
    document = watched([(8, 100, 5, 3)], [(8, 100, 5, 3)], [(8, 100, 5, 3)])

    assert process(document)["threads"] == []
    assert (process(document)["threads_seen"], process(document)["cpu_ticks"]) == (1, 0)


def test_a_move_without_a_tick_of_cpu_time_is_seen():
    assert process(watched([(8, 100, 5, 3)], [(8, 100, 5, 0)]))["threads"][0]["readings_by_numa_node"] == {"0": 1}


def test_without_numa_nodes_moves_between_them_are_not_known():
    document = watched([(8, 100, 0, 0)], [(8, 100, 9, 1)], numa_nodes={})

    assert (document["cpu_moves"], document["numa_node_moves"]) == ([1], [None])
    assert process(document)["threads"][0]["numa_node_moves"] is None


def test_without_a_last_cpu_there_are_no_moves():
    document = watched([(8, 100, 0, None)], [(8, 100, 9, None)])

    assert (process(document)["cpu_moves"], process(document)["threads"][0]["cpus"]) == (0, "")


def test_time_that_runs_backwards_is_not_known_for_good():
    document = watched([(8, 100, 50, 0)], [(8, 100, 40, 0)], [(8, 100, 60, 0)])

    assert document["cpu_ticks"] == [None, 20]
    assert process(document)["threads"][0]["cpu_ticks"] is None
    assert process(document)["cpu_ticks"] is None


def test_births_and_ends_are_counted():
    document = watched([(8, 100, 0, 0), (9, 100, 0, 0)], [(8, 100, 0, 0), (10, 400, 3, 0)], [(8, 100, 0, 0), (10, 400, 5, 0)])

    assert [process(document)[f"threads_{name}"] for name in ("seen", "born", "ended")] == [3, 1, 1]
    assert document["cpu_ticks"] == [0, 2]


def test_a_tid_that_is_used_again_is_another_thread():
    document = watched([(8, 100, 90, 0), (7, 1, 0, 0)], [(8, 500, 3, 2), (7, 1, 0, 0)])

    assert [process(document)[f"threads_{name}"] for name in ("seen", "born", "ended")] == [3, 1, 1]
    assert document["cpu_moves"] == [0]


def test_a_process_that_ends_takes_its_threads_along():
    document = watched([(8, 100, 0, 0), (9, 100, 0, 0)], None)

    assert (process(document)["has_ended"], process(document)["threads_ended"], document["num_threads"]) == (True, 2, [0])


def test_a_process_that_had_ended_before_is_there_without_threads():
    assert process(watched(None, None)) == {
        "pid": 7, "has_ended": True, "threads_seen": 0, "threads_born": 0, "threads_ended": 0, "cpu_ticks": 0, "cpu_moves": 0,
        "numa_node_moves": 0, "threads": [],
    }  # fmt: skip


def test_counters_grow_from_reading_to_reading_or_are_not_known():
    counters = [{"numa_hit": 5, "numa_miss": 1}, {"numa_hit": 8}, {"numa_hit": 2, "numa_miss": 1}, {"numa_hit": 2, "numa_miss": 4}]
    document = watched(None, None, None, None, counters=counters)

    assert document["counters"] == [
        {"folder": "/proc", "file": "vmstat", "grown": {"numa_hit": [3, None, 0], "numa_miss": [None, None, 3]}}
    ]


def test_late_and_missed_readings_are_named():
    document = watched(None, None, None, late=(1,), missed=(3, 4))

    assert (document["at_s"], document["late"], document["missed"]) == ([0.0, 1.0, 2.0], [1], [3, 4])


def test_only_the_busiest_threads_are_listed_one_by_one():
    document = watched([(8, 1, 0, 0), (9, 1, 0, 0)], [(8, 1, 3, 0), (9, 1, 5, 0)], most_threads=1)

    assert [thread["tid"] for thread in process(document)["threads"]] == [9]
    assert (document["threads_not_listed"], process(document)["cpu_ticks"]) == (1, 8)
