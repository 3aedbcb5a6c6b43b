"""Waivers on a host: which failures pass, and what becomes of each waiver."""

from datetime import date

import pytest

from numaaudit.model.sections.system import System
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Gate, Outcome, Severity
from numaaudit.rules.waiver import Standing, Waiver
from numaaudit.rules.waiving import day_of, waive

WAIVER = Waiver("NA201", "rank:1", None, "bound by hand", "on-call", None, "*", 3)


@pytest.fixture
def misplaced(host):
    made = host("2p-2n-2g-rank-off-node")
    system = made.section(System)._replace(hostname="gpu-7", collected_at="2026-11-29T10:15:00Z")
    return made._replace(sections={**made.sections, System: system})


def waived(misplaced, *waivers):
    return [finding.id for finding in audit(misplaced, waivers=waivers).findings if finding.waiver]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rule": "rank-cpus-off-gpu-node"},
        {"rule": "NA2*", "subject": "rank:*"},
        {"scope": "gpu-*"},
        {"expires": date(2026, 11, 29)},
        {"expires": date(2027, 1, 31)},
    ],
)
def test_it_waives(misplaced, changes):
    assert waived(misplaced, WAIVER._replace(**changes)) == ["NA201@rank:1"]


@pytest.mark.parametrize(
    "changes", [{"rule": "NA202"}, {"subject": "rank:0"}, {"scope": "gpu-8"}, {"expires": date(2026, 11, 28)}, {"fingerprint": "0" * 16}]
)
def test_it_waives_nothing(misplaced, changes):
    assert waived(misplaced, WAIVER._replace(**changes)) == []


def test_a_fingerprint_is_enough(misplaced):
    (failed,) = [finding for finding in audit(misplaced).findings if finding.id == "NA201@rank:1"]

    assert waived(misplaced, WAIVER._replace(rule="*", subject="*", fingerprint=failed.fingerprint)) == ["NA201@rank:1"]


def test_what_is_waived_fails_no_gate_and_is_still_there(misplaced):
    every = WAIVER._replace(rule="*", subject="*")
    before, after = audit(misplaced), audit(misplaced, waivers=(every,))

    assert (before.gates[Gate.PLACEMENT], after.gates[Gate.PLACEMENT]) == ("fail", "pass")
    assert (len(before.failing(Severity.INFO)) > 0, after.failing(Severity.INFO)) == (True, [])
    assert after.count(Outcome.FAIL) == before.count(Outcome.FAIL)


@pytest.mark.parametrize(
    ("changes", "collected_at", "expected"),
    [
        ({}, None, Standing.USED),
        ({"subject": "rank:0"}, None, Standing.UNMATCHED),
        ({"scope": "other"}, None, Standing.OUT_OF_SCOPE),
        ({"expires": date(2026, 11, 28)}, "2026-11-29T00:00:00Z", Standing.EXPIRED),
        ({"expires": date(2026, 11, 28)}, None, Standing.UNDATED),
        ({"expires": date(2026, 11, 28)}, "yesterday\x1b[2J", Standing.UNDATED),
    ],
)
def test_what_becomes_of_a_waiver(misplaced, changes, collected_at, expected):
    system = misplaced.section(System)._replace(collected_at=collected_at)
    waiver = WAIVER._replace(**changes)

    assert waive(audit(misplaced).findings, (waiver,), system)[1].standings == {waiver: expected}


def test_a_waiver_for_what_cannot_be_judged_is_in_use(misplaced):
    findings = [finding._replace(judgement=finding.judgement._replace(outcome=Outcome.UNKNOWN)) for finding in audit(misplaced).findings]
    waived_findings, waivers = waive(findings, (WAIVER,), misplaced.section(System))

    assert waivers.standings == {WAIVER: Standing.USED}
    assert [finding for finding in waived_findings if finding.waiver] == []


def test_expired_and_unmatched_waivers_are_findings(misplaced):
    expired, unmatched = WAIVER._replace(expires=date(2026, 1, 1)), WAIVER._replace(subject="rank:0", line=9)
    result = audit(misplaced, waivers=(expired, unmatched))

    assert [(finding.id, finding.severity.value) for finding in result.findings if finding.rule.code == "NA810"] == [
        ("NA810@waiver:3", "low"),
        ("NA810@waiver:9", "info"),
    ]


@pytest.mark.parametrize(
    ("time", "expected"), [("2026-11-29T10:15:00Z", date(2026, 11, 29)), (None, None), ("", None), ("2026-13-01T", None), ("\x00", None)]
)
def test_the_day_of_a_time(time, expected):
    assert day_of(time) == expected
