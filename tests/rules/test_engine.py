"""How judgements become gates and a verdict."""

from typing import NamedTuple

import pytest

from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.engine import LoadedRule, audit, in_order, load_rules
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


def test_rules_that_nobody_chose_are_all_that_are_not_experimental(any_host):
    assert audit(any_host).rules == tuple(loaded for loaded in load_rules() if not loaded.rule.experimental)


class Thresholds(NamedTuple):
    """What a policy may change."""

    most_ranks: int = 1


def counts_ranks(ranks: Ranks, limits: Thresholds):
    yield fail("host") if len(ranks.all) > limits.most_ranks else ok("host")


def test_a_rule_is_given_its_thresholds_and_its_findings_keep_them(any_host):
    loaded = rule(counts_ranks)._replace(thresholds=Thresholds())
    strict, lax = (audit(any_host, rules=[each]).findings[0] for each in (loaded, loaded._replace(thresholds=Thresholds(2))))

    assert (strict.judgement.outcome, strict.judgement.thresholds) == (Outcome.FAIL, {"most_ranks": 1})
    assert (lax.judgement.outcome, lax.judgement.thresholds) == (Outcome.PASS, {"most_ranks": 2})


@pytest.mark.parametrize(
    ("own", "policy", "expected"),
    [
        (None, Severity.CRITICAL, Severity.CRITICAL),
        (None, Severity.INFO, Severity.INFO),
        (Severity.CRITICAL, Severity.MEDIUM, Severity.MEDIUM),
        (Severity.LOW, Severity.CRITICAL, Severity.LOW),
        (Severity.LOW, Severity.INFO, Severity.INFO),
    ],
)
def test_a_policy_sets_the_severity_but_what_a_rule_calls_milder_stays_so(any_host, own, policy, expected):
    loaded = rule(yields(fail("rank:0", severity=own)))._replace(severity=policy)

    assert audit(any_host, rules=[loaded]).findings[0].severity == expected


def test_failures_come_first_the_severest_on_top_and_numbers_by_value(any_host):
    judgements = [ok("rank:3"), unknown("rank:4"), fail("rank:10"), fail("rank:9"), fail("rank:1", severity=Severity.CRITICAL)]
    result = audit(any_host, rules=[rule(yields(*judgements))])

    assert [each.judgement.subject for each in result.findings] == ["rank:1", "rank:9", "rank:10", "rank:4", "rank:3"]


def test_a_fingerprint_outlives_pids(any_host):
    first, second = (
        audit(any_host, rules=[rule(yields(Judgement(Outcome.FAIL, f"pid:{pid}", canonical="gpu:GPU-1")))]).findings[0] for pid in (1, 2)
    )

    assert first.fingerprint == second.fingerprint


def test_two_rules_of_one_code_are_refused():
    with pytest.raises(ValueError, match="NA299"):
        in_order([rule(yields()), rule(yields())])
