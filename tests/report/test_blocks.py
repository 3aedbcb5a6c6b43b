"""How failures become blocks: causes with their consequences below."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.report.blocks import make_blocks
from numaaudit.report.view import Shown
from numaaudit.rules.finding import Finding, Gate, Judgement, Outcome, Rule, Severity


def shown(code, subject="rank:0", severity=Severity.MEDIUM, caused_by=None, **thresholds):
    judgement = Judgement(Outcome.FAIL, subject, thresholds=thresholds)
    rule = Rule(code, Gate.PLACEMENT, "rank-core-mismatch", severity)
    return Shown(Finding(rule, f"rule-{code.lower()}", judgement, severity, caused_by), f"{code} of {subject}.", "Fix it.", (), ())


def blocks(*items):
    return [(block.code, block.severity, block.subjects, block.consequences) for block in make_blocks(list(items))]


def test_a_consequence_is_one_line_below_its_cause():
    assert blocks(shown("NA201", caused_by="NA601@rank:0"), shown("NA601")) == [
        ("NA601", "medium", "rank:0", ("MEDIUM  rule-na201 (NA201): NA201 of rank:0.",))
    ]


def test_many_consequences_of_one_rule_are_one_line():
    items = [shown("NA601", f"rank:{rank}") for rank in range(3)]
    items += [shown("NA201", f"rank:{rank}", caused_by=f"NA601@rank:{rank}") for rank in range(3)]

    assert blocks(*items) == [("NA601", "medium", "rank:0-2", ("MEDIUM  rule-na201 (NA201): rank:0-2",))]


def test_a_consequence_of_a_consequence_is_below_the_deepest_cause():
    items = [shown("NA301", caused_by="NA201@rank:0"), shown("NA201", caused_by="NA601@rank:0"), shown("NA601")]

    assert [(code, len(consequences)) for code, _, _, consequences in blocks(*items)] == [("NA601", 2)]


def test_a_cause_is_as_severe_as_what_it_causes_and_comes_first():
    items = [
        shown("NA201", "rank:7"),
        shown("NA601", severity=Severity.LOW),
        shown("NA301", severity=Severity.HIGH, caused_by="NA601@rank:0"),
    ]

    assert [(code, severity) for code, severity, _, _ in blocks(*items)] == [("NA601", "high"), ("NA201", "medium")]


def test_two_failures_of_one_id_are_two_causes_and_no_consequences():
    items = [shown("NA601"), shown("NA601"), shown("NA201", caused_by="NA601@rank:0")]

    assert blocks(*items) == [("NA601", "medium", "rank:0", ("MEDIUM  rule-na201 (NA201): NA201 of rank:0.",))]


@pytest.mark.parametrize("caused_by", [None, "NA601@rank:9"])
def test_without_a_cause_that_is_shown_it_is_a_block(caused_by):
    assert blocks(shown("NA201", caused_by=caused_by)) == [("NA201", "medium", "rank:0", ())]


def test_thresholds_are_shown():
    (block,) = make_blocks([shown("NA201", least_cpus=4, most_share=0.5)])

    assert block.thresholds == "least_cpus 4, most_share 0.5"


@pytest.mark.parametrize(
    ("facts", "fix", "expected"),
    [
        ([{"who_inside": "rank 0"}, {"who_inside": "rank 1"}], "Restart {who_inside}.", ("Restart ranks 0-1.",)),
        ([{"wanted": CpuSet([1, 2])}, {"wanted": CpuSet([5])}], "Give a CPUs {wanted}.", ("Give a CPUs 1-2,5.",)),
        ([{"wanted": CpuSet([1])}, {"wanted": CpuSet([5])}], "Give a-1-5 CPUs {wanted}.", ("Give a-1-5 CPUs 1.", "Give a-1-5 CPUs 5.")),
        ([{"gpu": "A"}, {}], "Look at the board.", ("Look at the board.",)),
    ],
)
def test_fixes_fold(facts, fix, expected):
    items = [
        each._replace(fix=fix.format(**own), finding=each.finding._replace(judgement=each.finding.judgement._replace(facts=own)))
        for own in facts
        for each in [shown("NA601")]
    ]

    (block,) = make_blocks(items)

    assert block.fixes == expected
