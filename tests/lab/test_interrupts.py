"""Where interrupts are delivered: a NIC's queues that were moved far away, and an NVMe controller's that nobody can move."""

from __future__ import annotations

from pathlib import Path

import pytest
from interrupts import SERVED_BY, moved_nic
from runs import Run, outcomes

INTERRUPTS_SERVED_FAR_AWAY = "NA502"


@pytest.fixture
def moved(two_packages: Run) -> set[str]:
    """The vectors of the NIC's queues."""
    address = moved_nic(two_packages.shape)
    ours = (each for each in two_packages.model["interrupts"] if each["pci_address"] == address)
    return {f"irq:{each['irq']}" for each in ours if each["effective_affinity"] == str(SERVED_BY)}


def test_vectors_are_delivered_where_the_kernel_says(two_packages: Run) -> None:
    said = {str(each["irq"]): each["effective_affinity"] for each in two_packages.model["interrupts"]}
    told = {number: vector["delivered_to"] for number, vector in two_packages.observed["vectors"].items()}
    assert {number: said[number] for number in told} == told


def test_managed_vectors_on_far_cpus_are_no_finding(two_packages: Run) -> None:
    vectors = two_packages.observed["vectors"]
    far = {f"irq:{number}" for number, vector in vectors.items() if vector["is_managed"] and int(vector["delivered_to"]) < 8}
    said = {subject for outcome in ("fail", "unknown") for _, subject in two_packages.judged(outcome)}
    assert len(far) == 8  # a queue for each CPU of the other NUMA node
    assert far & said == set()


def test_interrupts_that_were_moved_away_are_silent_while_they_are_few(two_packages: Run, moved: set[str]) -> None:
    judged = outcomes(two_packages.report, INTERRUPTS_SERVED_FAR_AWAY)
    assert len(moved) == 2
    assert {judged[subject] for subject in moved} == {"not_applicable"}


def test_they_fail_where_a_policy_calls_them_many(two_packages: Run, moved: set[str], tmp_path: Path) -> None:
    policy = tmp_path / "numaaudit.yaml"
    policy.write_text("rules:\n  NA502:\n    thresholds:\n      busy_total: 20\n")

    report = two_packages.report_on("bundle", "--policy", str(policy))

    failed = [each for each in report["findings"] if (each["rule"], each["outcome"]) == (INTERRUPTS_SERVED_FAR_AWAY, "fail")]
    assert {each["subject"] for each in failed} == moved
    assert {(each["severity"], each["facts"]["cpus"], each["facts"]["nic_numa_node"]) for each in failed} == {("low", str(SERVED_BY), 1)}
