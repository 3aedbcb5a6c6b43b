"""A window of 30 s: what grew, what is not known, and what a hostile one cannot do."""

import json

import pytest

from numaaudit.model.sections.interrupts import Interrupts
from numaaudit.model.sections.memory_settings import MemorySettings
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.window import Window

SAMPLE = "samples/window.json"
LAST = "again/2/root"
NUMASTAT = "sys/devices/system/node/node1/numastat"


@pytest.fixture
def entries(root):
    return root("2p-2n-2g-window")


@pytest.fixture
def window(build):
    return lambda entries: build(entries).section(Window)


def sampled(entries, **changes):
    """The entries with keys of the sample replaced."""
    return entries | {SAMPLE: json.dumps({**json.loads(entries[SAMPLE]), **changes})}


def test_pages_allocated_on_each_numa_node(entries, window):
    found = window(entries).numa_nodes

    assert found[0] == {
        "numa_hit": 30000, "numa_miss": 0, "numa_foreign": 600, "interleave_hit": 0, "local_node": 30000, "other_node": 0
    }  # fmt: skip
    assert (found[1]["numa_miss"], found[1]["other_node"]) == (600, 3000)


def test_what_numa_balancing_did(entries, window):
    found = window(entries).vmstat

    assert [found[f"numa_{name}"] for name in ("pte_updates", "hint_faults", "pages_migrated")] == [0, 0, 0]
    assert (found["pgmigrate_success"], found["oom_kill"]) == (3, None)


def test_interrupts_of_each_vector_and_of_each_numa_node(entries, window):
    found = window(entries)

    assert {irq: each.total for irq, each in found.interrupts.items()} == {60: 60_000, 61: 10}
    assert found.interrupts[60].by_cpu == {3: 60_000}
    assert found.irqs_by_numa_node == {0: 0, 1: 60_010}
    assert found.per_s(found.interrupts[60].total) == 2000.0
    assert [(line.path, line.line) for line in found.irq_evidence(60)] == [
        ("again/1/root/proc/interrupts", 2),
        ("again/2/root/proc/interrupts", 2),
    ]


def test_how_long_tasks_waited(entries, window):
    found = window(entries).stalled

    assert {name: (each.some, each.full) for name, each in found.items()} == {"cpu": (0.6, 0.0), "memory": (0.01, 0.0), "io": (0.0, 0.0)}
    assert [line.text.rpartition(" ")[2] for line in found["cpu"].evidence] == ["total=2000000", "total=20000000"]


def test_how_often_a_cpu_limit_ran_out(entries, window):
    found = window(entries).cpu_stats["sys/fs/cgroup/work"]

    assert found.stat._asdict() == {"usage_us": 90_000_000, "nr_periods": 300, "nr_throttled": 3, "throttled_us": 120_000}
    assert [(line.path, line.text) for line in found.evidence] == [
        (f"again/{number}/root/sys/fs/cgroup/work/cpu.stat", text)
        for text, number in (("nr_periods 1000", 1), ("nr_periods 1300", 2), ("nr_throttled 900", 1), ("nr_throttled 903", 2))
    ]


def test_where_threads_were_seen(entries, window):
    (process, _) = window(entries).sample.processes

    assert [(thread.tid, thread.cpu_moves, str(thread.cpus), thread.by_numa_node) for thread in process.threads] == [
        (100, 9, "0-1,4", ((0, 30),)),
        (110, 6, "0,5", ((0, 29),)),
    ]


def test_deltas_are_from_the_first_to_the_last_reading(entries, build):
    host = build(entries)

    assert [thread.cpu_ticks_delta for thread in host.section(Processes).by_pid(100).threads] == [2480, 1220]
    assert {each.irq: each.delta for each in host.section(Interrupts).all} == {60: 60_000, 61: 10}
    assert host.section(MemorySettings).hint_faults == 0


def test_two_readings_without_a_sample_are_no_window(entries, window):
    found = window({path: entry for path, entry in entries.items() if path != SAMPLE})

    assert found == Window(None, {}, {}, {}, None, {}, {})
    assert (found.seconds, found.per_s(3)) == (None, None)


def test_a_counter_that_is_lower_at_the_end_is_not_known(entries, window):
    found = window(entries | {f"{LAST}/{NUMASTAT}": entries[f"{LAST}/{NUMASTAT}"].replace("numa_hit 115000", "numa_hit 7")})

    assert (found.numa_nodes[1]["numa_hit"], found.numa_nodes[1]["numa_miss"]) == (None, 600)
    assert [(gap.kind, gap.path, gap.reason) for gap in found.gaps] == [
        ("absent", f"root/{NUMASTAT}", "went backwards inside the window: numa_hit")
    ]


def test_a_counter_that_went_backwards_in_between_is_not_known(entries, window):
    counters = json.loads(entries[SAMPLE])["counters"]
    grown = {(each["folder"], each["file"]): each["grown"] for each in counters}
    grown["/proc/pressure", "cpu"]["some"][7] = None
    grown["/sys/fs/cgroup/work", "cpu.stat"]["usage_usec"][2] = None
    found = window(sampled(entries, counters=counters))

    assert (found.stalled["cpu"].some, found.stalled["cpu"].full) == (None, 0.0)
    assert (found.cpu_stats["sys/fs/cgroup/work"].stat.usage_us, found.cpu_stats["sys/fs/cgroup/work"].stat.nr_periods) == (None, 300)
    assert {(gap.path, gap.reason) for gap in found.gaps} == {
        ("root/proc/pressure/cpu", "went backwards inside the window: some"),
        ("root/sys/fs/cgroup/work/cpu.stat", "went backwards inside the window: usage_us"),
    }


def test_an_interrupt_count_of_one_cpu_that_wrapped_is_not_known(entries, window):
    found = window(entries | {f"{LAST}/proc/interrupts": entries[f"{LAST}/proc/interrupts"].replace("   9000010 ", "        10 ")})

    assert {irq: each.total for irq, each in found.interrupts.items()} == {60: 60_000, 61: None}
    assert found.irqs_by_numa_node is None
    assert [gap.reason for gap in found.gaps] == ["went backwards inside the window: IRQ 61"]


def test_interrupts_are_not_known_where_a_cpu_went_offline(entries, window):
    lines = [line.replace("CPU7", "").replace("  IR", " IR") for line in entries[f"{LAST}/proc/interrupts"].splitlines()]
    cut = [lines[0], *(line.replace("          0 IR", " IR") for line in lines[1:])]
    found = window(entries | {f"{LAST}/proc/interrupts": "\n".join(cut) + "\n"})

    assert (found.interrupts, found.irqs_by_numa_node) == ({}, None)
    assert [gap.reason for gap in found.gaps] == ["other CPUs were online at the end of the window than at its start"]


def test_a_window_of_no_length_has_no_rates(entries, window):
    found = window(sampled(entries, between_ends_s=0))

    assert (found.seconds, found.per_s(5), found.stalled["cpu"].some) == (None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "numaaudit.window/1", "duration_s": NaN}',
        "[" * 50_000,
        '{"format": "numaaudit.window/1", "counters": {}',
        '{"format": "numaaudit.window/1", "seconds": ' + "9" * 5000 + "}",
        " " * (33 << 20) + "{}",
    ],
)
def test_a_hostile_sample_is_a_gap(entries, build, text):
    host = build(entries | {SAMPLE: text})

    assert host.section(Window).sample is None
    assert [gap.kind for gap in host.gaps if gap.path == SAMPLE] == ["unparsable"]


@pytest.mark.parametrize("changes", [{"seconds": -1}, {"readings": -30}, {"between_ends_s": float("nan")}, {"ends": [-1, 2]}])
def test_numbers_that_cannot_be_are_a_gap(entries, build, changes):
    host = build(sampled(entries, **changes))

    assert host.section(Window).sample is None
    assert [gap.kind for gap in host.gaps if gap.path == SAMPLE] == ["unparsable"]


def test_paths_of_a_sample_lead_nowhere_else(entries, window):
    folders = ("../../../etc", "/", "", "x\0")
    counters = [{"folder": folder, "file": "cpu.stat", "grown": {"nr_periods": [1]}} for folder in folders]

    assert window(sampled(entries, counters=counters)).cpu_stats == {}
