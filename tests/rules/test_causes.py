"""Which failure explains which."""

import pytest

from numaaudit.rules.causes import refuse_circles, root_of, with_causes
from numaaudit.rules.engine import load_rules
from numaaudit.rules.finding import Finding, Gate, Judgement, Outcome, Rule, Severity
from numaaudit.rules.waiver import Waiver

CUT, OFF_NODE, MEMORY = (
    Rule("NA601", Gate.PLACEMENT, "cpuset-clip", Severity.HIGH),
    Rule("NA201", Gate.PLACEMENT, "rank-core-mismatch", Severity.HIGH, caused_by=("NA601",)),
    Rule("NA301", Gate.PLACEMENT, "memory-remote", Severity.MEDIUM, caused_by=("NA201", "NA601")),
)
WAIVER = Waiver("NA201", "*", None, "known", "on-call", None, "*", 1)


def finding(rule, subject="rank:0", outcome=Outcome.FAIL, related=(), waiver=None):
    return Finding(rule, "a-rule", Judgement(outcome, subject, related=related), rule.severity, waiver=waiver)


def causes(*findings):
    return [each.caused_by for each in with_causes(findings)]


def test_the_first_declared_cause_that_failed_for_the_subject():
    assert causes(finding(MEMORY), finding(OFF_NODE), finding(CUT)) == ["NA201@rank:0", "NA601@rank:0", None]


def test_a_cause_of_another_subject_explains_nothing():
    assert causes(finding(OFF_NODE), finding(CUT, "rank:1")) == [None, None]


def test_a_cause_may_be_about_what_the_finding_names_as_related():
    assert causes(finding(OFF_NODE, "host", related=("rank:1",)), finding(CUT, "rank:1")) == ["NA601@rank:1", None]


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.UNKNOWN, Outcome.ERROR, Outcome.NOT_APPLICABLE])
def test_only_failures_cause_and_only_failures_are_caused(outcome):
    assert causes(finding(OFF_NODE), finding(CUT, outcome=outcome)) == [None, None]
    assert causes(finding(OFF_NODE, outcome=outcome), finding(CUT)) == [None, None]


def test_the_root_is_the_deepest_cause():
    by_id = {each.id: each for each in with_causes([finding(MEMORY), finding(OFF_NODE), finding(CUT)])}

    assert [root_of(each, by_id).id for each in by_id.values()] == ["NA601@rank:0"] * 3


def test_nothing_is_folded_under_a_waived_cause():
    by_id = {each.id: each for each in with_causes([finding(MEMORY), finding(OFF_NODE, waiver=WAIVER)])}

    assert root_of(by_id["NA301@rank:0"], by_id).id == "NA301@rank:0"


def test_rules_that_name_each_other_are_refused():
    with pytest.raises(ValueError, match="NA201"):
        refuse_circles([OFF_NODE, CUT._replace(caused_by=("NA201",))])


def test_every_declared_cause_is_a_rule():
    codes = {loaded.rule.code for loaded in load_rules()}

    assert [(loaded.rule.code, code) for loaded in load_rules() for code in loaded.rule.caused_by if code not in codes] == []
