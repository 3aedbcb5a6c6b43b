"""NA810: waivers that no longer hold, or waive nothing."""

from datetime import date

import pytest

from numaaudit.rules.checks.waiver_expired_or_unmatched import check
from numaaudit.rules.finding import Outcome, Severity
from numaaudit.rules.waiver import Standing, Waiver, Waivers

WAIVER = Waiver("NA201", "rank:1", None, "bound by hand", "on-call", date(2026, 12, 31), "*", 7)


def judge(standing):
    (judgement,) = check(Waivers({WAIVER: standing}))
    return judgement


@pytest.mark.parametrize(("standing", "severity"), [(Standing.EXPIRED, None), (Standing.UNMATCHED, Severity.INFO)])
def test_it_fires_for_a_waiver_that_does_not_waive(standing, severity):
    judgement = judge(standing)

    assert (judgement.outcome, judgement.subject, judgement.severity) == (Outcome.FAIL, "waiver:7", severity)


@pytest.mark.parametrize("standing", [Standing.USED, Standing.OUT_OF_SCOPE])
def test_silent_for_a_waiver_in_use_and_for_other_hosts(standing):
    assert judge(standing).outcome == Outcome.NOT_APPLICABLE


def test_silent_without_a_policy():
    assert list(check(Waivers())) == []


def test_unknown_where_the_evidence_has_no_date():
    assert (judge(Standing.UNDATED).outcome, len(judge(Standing.UNDATED).gaps)) == (Outcome.UNKNOWN, 1)
