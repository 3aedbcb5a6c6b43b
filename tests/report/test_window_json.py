"""The window in the model for machines."""

from numaaudit.report.host_json import host_document


def test_every_number_of_a_window(root, build):
    document = host_document(build(root("2p-2n-2g-window")))["window"]

    assert {name: document[name] for name in ("duration_s", "every_s", "seconds", "between_ends_s", "readings", "late", "missed")} == {
        "duration_s": 30.0, "every_s": 1.0, "seconds": 30.0, "between_ends_s": 30.0, "readings": 30, "late": [], "missed": []
    }  # fmt: skip
    assert [(each["id"], each["counters"]["numa_foreign"], each["interrupts"]) for each in document["numa_nodes"]] == [
        (0, 600, 0),
        (1, 0, 60_010),
    ]
    assert document["interrupts"] == [{"irq": 60, "count": 60_000, "per_s": 2000.0}, {"irq": 61, "count": 10, "per_s": 10 / 30}]
    assert document["pressure"]["cpu"] == {"some": 0.6, "full": 0.0}
    assert document["cgroups"] == [
        {"folder": "/sys/fs/cgroup/work", "usage_us": 90_000_000, "nr_periods": 300, "nr_throttled": 3, "throttled_us": 120_000}
    ]
    assert (document["vmstat"]["numa_hint_faults"], document["vmstat"]["oom_kill"]) == (0, None)
    assert document["processes"][1]["threads"][0] == {
        "tid": 101, "cpu_ticks": 2400, "cpu_moves": 15, "numa_node_moves": 0, "readings": 31, "ran": 30, "cpus": "2-3",
        "readings_by_numa_node": {"1": 30},
    }  # fmt: skip


def test_without_a_window_there_is_none(root, build):
    assert host_document(build(root("2p-2n-2g")))["window"] is None
