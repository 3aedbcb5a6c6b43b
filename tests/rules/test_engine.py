"""How judgements become gates and a verdict."""

import pytest

from numaaudit.model.sections.topology import Topology
from numaaudit.rules.engine import LoadedRule, audit
from numaaudit.rules.finding import Gate, Judgement, Outcome, Rule, Severity, fail, not_applicable, ok, unknown


def rule(check, gate=Gate.PLACEMENT, severity=Severity.HIGH, decides=False, code="NA299"):
    return LoadedRule(Rule(code, gate, "rank-core-mismatch", severity, decides), "a-rule", check, "Wrong.", "Right it.", "", {})


def yields(*judgements):
    def check(topology: Topology):
        yield from judgements

    return check


@pytest.fixture
def any_host(host):
    return host("2p-2n-2g")


@pytest.mark.parametrize(
    ("judgements", "decides", "expected"),
    [
        ([ok("rank:0")], False, "pass"),
        ([ok("rank:0"), fail("rank:1")], False, "fail"),
        ([ok("rank:0"), fail("rank:1", severity=Severity.LOW)], False, "pass"),
        ([ok("rank:0"), unknown("rank:1")], False, "pass"),
        ([ok("rank:0"), unknown("rank:1")], True, "unknown"),
        ([fail("rank:0"), unknown("rank:1")], True, "fail"),
        ([unknown("rank:0")], False, "unknown"),
        ([not_applicable("host")], False, "unknown"),
        ([], False, "unknown"),
    ],
)
def test_a_gate(any_host, judgements, decides, expected):
    result = audit(any_host, rules=[rule(yields(*judgements), decides=decides)])

    assert result.gates[Gate.PLACEMENT] == expected


def test_the_application_is_not_assessed_without_evidence(any_host):
    assert audit(any_host, rules=[]).gates[Gate.APPLICATION] == "not_assessed"


def test_the_verdict_is_the_worst_gate_assessed(any_host):
    rules = [rule(yields(ok("host")), Gate.IDENTITY, code="NA199"), rule(yields(ok("rank:0")))]

    assert audit(any_host, rules=rules).verdict == "pass"
    assert audit(any_host, rules=rules[:1]).verdict == "unknown"


def test_fail_on_moves_the_line(any_host):
    rules = [rule(yields(fail("rank:0", severity=Severity.LOW)))]

    assert audit(any_host, Severity.LOW, rules).gates[Gate.PLACEMENT] == "fail"
    assert audit(any_host, Severity.MEDIUM, rules).gates[Gate.PLACEMENT] == "pass"


def test_a_rule_that_crashes_is_an_error_and_the_others_go_on(any_host):
    def crash(topology: Topology):
        raise ZeroDivisionError

    result = audit(any_host, rules=[rule(crash, code="NA298"), rule(yields(ok("rank:0")))])

    assert [each.judgement.outcome for each in result.findings] == [Outcome.ERROR, Outcome.PASS]
    assert "ZeroDivisionError" in result.crashes[0]


def test_an_experimental_rule_is_off(any_host):
    loaded = rule(yields(fail("rank:0")))

    assert audit(any_host, rules=[loaded._replace(rule=loaded.rule._replace(experimental=True))]).findings == ()


def test_failures_come_first_the_severest_on_top_and_numbers_by_value(any_host):
    judgements = [ok("rank:3"), unknown("rank:4"), fail("rank:10"), fail("rank:9"), fail("rank:1", severity=Severity.CRITICAL)]
    result = audit(any_host, rules=[rule(yields(*judgements))])

    assert [each.judgement.subject for each in result.findings] == ["rank:1", "rank:9", "rank:10", "rank:4", "rank:3"]


def test_a_fingerprint_outlives_pids(any_host):
    first, second = (
        audit(any_host, rules=[rule(yields(Judgement(Outcome.FAIL, f"pid:{pid}", canonical="gpu:GPU-1")))]).findings[0] for pid in (1, 2)
    )

    assert first.fingerprint == second.fingerprint
