"""JUnit: a case fails where ``check`` exits 1 for it, and nowhere else; what is not known is skipped, not passed."""

from xml.etree import ElementTree as ET

import pytest

from numaaudit.report.as_junit import junit
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome, Severity

OFF_NODE = "2p-2n-2g-rank-off-node"


def parsed(result, failing=Severity.MEDIUM):
    ids = frozenset(finding.id for finding in result.failing(failing)) if failing else frozenset()
    return ET.fromstring(junit(result, ids))  # noqa: S314  (our own output)


def cases(document, tag):
    return {case.get("name") for case in document.iter("testcase") if case.find(tag) is not None}


@pytest.fixture
def off_node(host):
    return audit(host(OFF_NODE))


def test_the_failures_are_those_of_the_exit_code(off_node):
    expected = {f"{finding.rule.code} {finding.judgement.subject}" for finding in off_node.failing(Severity.MEDIUM)}
    assert cases(parsed(off_node), "failure") == expected != set()


def test_what_fails_below_the_threshold_is_told_and_does_not_fail(off_node):
    document = parsed(off_node, failing=None)
    told = {
        f"{finding.rule.code} {finding.judgement.subject}" for finding in off_node.findings if finding.judgement.outcome is Outcome.FAIL
    }
    assert (cases(document, "failure"), cases(document, "system-out")) == (set(), told)


def test_what_is_unknown_is_skipped_with_its_gaps(root, build):
    entries = root(OFF_NODE)
    del entries["root/proc/101/status"]
    result = audit(build(entries))
    unknown = {
        f"{finding.rule.code} {finding.judgement.subject}" for finding in result.findings if finding.judgement.outcome is Outcome.UNKNOWN
    }
    document = parsed(result)
    assert cases(document, "skipped") == unknown != set()
    assert all(each.get("message").startswith("cannot be judged: ") for each in document.iter("skipped"))


def test_the_counts_are_those_of_the_cases(off_node):
    for suite in parsed(off_node).iter("testsuite"):
        counted = [len(suite.findall("testcase"))] + [len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped")]
        assert [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")] == counted


def test_a_rule_that_crashed_is_an_error(host, rules_with_a_crash):
    document = parsed(audit(host(OFF_NODE), rules=rules_with_a_crash))
    assert {name.split()[0] for name in cases(document, "error")} == {"NA201"}


def test_a_failure_has_its_lines_and_its_fix(off_node):
    case = next(
        each for each in parsed(off_node).iter("testcase") if each.get("classname") == "numaaudit.rank-cpus-off-gpu-node" and len(each)
    )
    text = case.find("failure").text
    assert "Cpus_allowed_list:\t0-1,4-5" in text
    assert "\nfix: Restart rank " in text
