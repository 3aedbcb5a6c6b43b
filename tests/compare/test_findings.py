"""Findings by fingerprint."""

import pytest

from numaaudit.compare.findings import counts, finding_rows, not_failing_in, state_of
from numaaudit.compare.snapshot import Recorded, Snapshot
from numaaudit.core.errors import InputError
from numaaudit.model.hardware_class import HardwareClass
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Severity


def snapshot(*findings, rule_set="1"):
    return Snapshot("bundle", None, HardwareClass({}), None, {}, None, findings, rule_set, None)


def found(outcome, key="k", rule="NA201", subject="rank:1"):
    return Recorded(key, rule, "some-rule", subject, outcome, "high")


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        ("pass", "fail", "new"),
        (None, "fail", "new"),
        ("fail", "pass", "fixed"),
        ("fail", "not_applicable", "fixed"),
        ("fail", None, "fixed"),
        ("fail", "fail", "unchanged"),
        ("fail", "unknown", "undecidable"),
        ("unknown", "fail", "undecidable"),
        ("fail", "error", "undecidable"),
    ],
)
def test_what_became_of_it(before, after, state):
    assert state_of(before, after) == state


def test_one_that_is_not_failing_is_found_by_its_subject():
    (row,) = finding_rows((snapshot(found("fail", "with-card")), snapshot(found("unknown", "without-card"))))

    assert (row.outcomes, row.state) == (("fail", "unknown"), "undecidable")


def test_a_rule_that_crashed_fixes_nothing():
    (row,) = finding_rows((snapshot(found("fail")), snapshot(found("error", "other", subject="host"))))

    assert row.state == "undecidable"


def test_what_never_fails_is_no_row():
    assert finding_rows((snapshot(found("pass")), snapshot(found("unknown")))) == ()


def test_none_where_a_side_has_no_findings():
    assert finding_rows((snapshot(), snapshot()._replace(findings=None))) is None


def test_a_severity_that_is_none_does_not_count():
    assert [counts(severity, Severity.MEDIUM) for severity in ("high", "medium", "low", "dreadful")] == [True, True, False, False]


class TestBaseline:
    @pytest.fixture
    def failing(self, host):
        return audit(host("2p-2n-2g-rank-off-node")).failing(Severity.MEDIUM)

    def test_only_what_did_not_fail_there_is_new(self, failing):
        known = [found("fail", each.fingerprint) for each in failing]

        assert not_failing_in(snapshot(*known), "x", failing) == []
        assert not_failing_in(snapshot(), "x", failing) == failing

    def test_what_was_unknown_there_is_new(self, failing):
        assert not_failing_in(snapshot(*(found("unknown", each.fingerprint) for each in failing)), "x", failing) == failing

    def test_a_model_without_findings_is_refused(self, failing):
        with pytest.raises(InputError, match="no findings"):
            not_failing_in(snapshot()._replace(findings=None), "x", failing)
