"""What a judgement is worth in a container, a sandbox and a virtual machine."""

import pytest

from numaaudit.model.sections.system import System
from numaaudit.rules.finding import Confidence, Gate, Outcome, Rule, Severity, fail, ok, unknown
from numaaudit.rules.viewpoint import seen_from

RULE = Rule("NA999", gate=Gate.PLACEMENT, category="memory-remote", severity=Severity.LOW)
EVIDENCE = RULE._replace(category="evidence-gap")


def system(view, machine=None):
    return System(None, None, None, None, None, view, None, None, None, machine)


@pytest.mark.parametrize("subject", ["host", "numa_node:1", "gpu:0000:17:00.0", "irq:9"])
@pytest.mark.parametrize("view", ["container", "sandbox"])
def test_a_container_cannot_clear_the_host(view, subject):
    seen = seen_from(system(view), RULE, ok(subject))

    assert (seen.outcome, seen.subject, seen.gaps[0].reason) == (
        Outcome.UNKNOWN, subject, f"collected in a {view}, which may not be shown what the host has",
    )  # fmt: skip


@pytest.mark.parametrize("judgement", [ok("rank:0"), ok("pid:7"), ok("cgroup:/a"), fail("host"), unknown("host")])
def test_what_is_its_own_and_what_is_wrong_stands(judgement):
    assert seen_from(system("container"), RULE, judgement) is judgement


def test_what_judges_the_evidence_stands_anywhere():
    assert seen_from(system("container", "KVM"), EVIDENCE, ok("host")).outcome is Outcome.PASS
    assert seen_from(system("vm", "KVM"), EVIDENCE, fail("host")).confidence is Confidence.CERTAIN


@pytest.mark.parametrize("view", ["vm", "container"])
def test_what_a_hypervisor_may_have_invented_is_at_most_likely(view):
    assert seen_from(system(view, "KVM"), RULE, fail("rank:0")).confidence is Confidence.LIKELY
    assert seen_from(system(view, "KVM"), RULE, fail("rank:0", confidence=Confidence.POSSIBLE)).confidence is Confidence.POSSIBLE


def test_a_machine_of_its_own_changes_nothing():
    for judgement in (ok("host"), fail("host")):
        assert seen_from(system("host"), RULE, judgement) is judgement
