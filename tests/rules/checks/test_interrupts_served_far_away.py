"""NA502: busy interrupts of a NIC on another NUMA node's CPUs."""

import pytest

from numaaudit.rules.finding import Confidence, Severity

NIC = "root/sys/devices/pci0000:16/0000:16:01.0/0000:18:00.0"
HEAD = "      CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7\n"
TABLE, AGAIN = "root/proc/interrupts", "again/1/root/proc/interrupts"


def row(irq, *counts):
    return f" {irq}: {' '.join(map(str, counts))}  IR-PCI-MSIX-0000:18:00.0  1-edge  mlx5_comp0\n"


def served(entries, cpu, total=5_000_000, later=None):
    """The entries with one interrupt of the NIC on NUMA node 0 that one CPU serves."""
    counts = [total if number == cpu else 0 for number in range(8)]
    changed = entries | {
        TABLE: HEAD + row(60, *counts),
        "root/proc/irq/60/smp_affinity_list": f"{cpu}\n",
        "root/proc/irq/60/effective_affinity_list": f"{cpu}\n",
        f"{NIC}/msi_irqs/60": "msix\n",
    }
    if later is not None:
        changed[AGAIN] = HEAD + row(60, *[later if number == cpu else 0 for number in range(8)])
    return changed


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def test_silent_where_no_interrupts_were_read(entries, build, outcomes):
    assert outcomes(build(entries), "NA502") == set()


def test_silent_where_a_local_cpu_serves(entries, build, outcomes):
    assert outcomes(build(served(entries, 1)), "NA502") == {("irq:60", "pass")}


def test_a_busy_queue_on_the_other_numa_node(entries, build, outcomes, judge):
    host = build(served(entries, 3))

    assert outcomes(host, "NA502") == {("irq:60", "fail")}
    (failure,) = judge(host, "NA502")
    assert (failure.severity, failure.confidence, str(failure.facts["cpus"])) == (None, Confidence.LIKELY, "3")
    assert (str(failure.facts["numa_nodes"]), failure.facts["nic_numa_node"], failure.facts["count"]) == ("1", 0, 5_000_000)
    assert failure.thresholds == {"busy_delta": 1000, "busy_total": 1_000_000, "busy_share": 0.2}
    assert [each.path for each in failure.evidence] == [
        TABLE,
        "root/proc/irq/60/effective_affinity_list",
        "root/sys/bus/pci/devices/0000:18:00.0/numa_node",
    ]


def test_two_readings_make_it_certain(entries, build, judge):
    (failure,) = judge(build(served(entries, 3, total=10, later=5000)), "NA502")

    assert (failure.confidence, failure.facts["count"], failure.facts["since"]) == (Confidence.CERTAIN, 4990, "between two readings")


def test_an_idle_queue_is_not_judged(entries, build, outcomes):
    assert outcomes(build(served(entries, 3, total=1000)), "NA502") == {("irq:60", "not_applicable")}
    assert outcomes(build(served(entries, 3, later=5_000_010)), "NA502") == {("irq:60", "not_applicable")}


def test_a_note_within_one_package(entries, in_one_package, build, judge):
    (failure,) = judge(build(in_one_package(served(entries, 3))), "NA502")

    assert failure.severity is Severity.INFO


def test_a_note_where_the_nics_queues_are_spread(entries, build, judge):
    spread = served(entries, 3)
    spread[TABLE] += row(61, 0, 5_000_000, 0, 0, 0, 0, 0, 0)
    spread |= {f"{NIC}/msi_irqs/61": "msix\n", "root/proc/irq/61/effective_affinity_list": "1\n"}

    assert [(each.subject, each.severity) for each in judge(build(spread), "NA502") if each.severity] == [("irq:60", Severity.INFO)]


def test_unknown_without_the_nics_numa_node(entries, build, outcomes):
    host = build(served(entries, 3) | {f"{NIC}/numa_node": "-1\n", f"{NIC}/local_cpulist": "0-7\n"})

    assert outcomes(host, "NA502") == {("irq:60", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(served(entries, 3))), "NA502") == {("irq:60", "not_applicable")}


def test_in_a_window_only_what_is_busy_then_counts(root, build, outcomes, judge):
    host = build(root("2p-2n-2g-window"))

    assert outcomes(host, "NA502") == {("irq:60", "fail"), ("irq:61", "not_applicable")}
    failure = next(each for each in judge(host, "NA502") if each.subject == "irq:60")
    assert (failure.confidence, failure.facts["count"], failure.facts["since"]) == (Confidence.CERTAIN, 60_000, "in 30 s")
    assert [each.path for each in failure.evidence][-2:] == ["again/1/root/proc/interrupts", "again/2/root/proc/interrupts"]


def test_a_count_that_went_backwards_in_the_window_tells_nothing_of_it(root, build, judge):
    entries = root("2p-2n-2g-window")
    last = "again/2/root/proc/interrupts"
    reset = entries | {last: entries[last].replace("   5060000 ", "         5 ")}

    (failure,) = [each for each in judge(build(reset), "NA502") if each.subject == "irq:60"]
    assert (failure.confidence, failure.facts["count"], failure.facts["since"]) == (Confidence.LIKELY, 5_000_000, "since boot")
