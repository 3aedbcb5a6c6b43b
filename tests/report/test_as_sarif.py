"""SARIF: the shape that code-scanning services require, and the same verdicts as the report."""

import pytest

from numaaudit.report.as_json import report_document
from numaaudit.report.as_sarif import sarif_document
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome
from numaaudit.rules.waiver import Waiver

BUNDLE = Input("x.tar.gz", "bundle", "ab" * 32)
OFF_NODE = "2p-2n-2g-rank-off-node"


@pytest.fixture
def run_of(host):
    def make(name, outcomes=frozenset(Outcome), **settings):
        (run,) = sarif_document(audit(host(name), **settings), BUNDLE, outcomes)["runs"]
        return run

    return make


def test_results_are_the_findings_of_the_report(host, run_of):
    document = report_document(audit(host(OFF_NODE)), host(OFF_NODE), BUNDLE, frozenset(Outcome))
    kinds = {"fail": "fail", "unknown": "open", "pass": "pass", "not_applicable": "notApplicable"}
    expected = [(each["rule"], each["subject"], kinds[each["outcome"]], each["fingerprint"]) for each in document["findings"]]
    assert [
        (each["ruleId"], each["properties"]["subject"], each["kind"], each["partialFingerprints"]["numaaudit/v1"])
        for each in run_of(OFF_NODE)["results"]
    ] == expected


def test_every_result_points_at_its_rule(run_of):
    run = run_of(OFF_NODE)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [result["ruleId"] for result in run["results"]]


def test_only_failures_have_a_level(run_of):
    found = {(result["kind"], result["level"]) for result in run_of(OFF_NODE)["results"]}
    assert {level for kind, level in found if kind == "fail"} <= {"error", "warning", "note"}
    assert {level for kind, level in found if kind != "fail"} == {"none"}
    assert ("fail", "error") in found


def test_a_location_is_a_relative_reference_to_a_line_of_the_bundle(run_of):
    result = next(each for each in run_of(OFF_NODE)["results"] if each["ruleId"] == "NA201" and each["kind"] == "fail")
    uris = [each["physicalLocation"]["artifactLocation"] for each in result["locations"] + result["relatedLocations"]]
    assert result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"] == "Cpus_allowed_list:\t0-1,4-5"
    assert all(uri["uriBaseId"] == "BUNDLE" and not uri["uri"].startswith("/") and ":" not in uri["uri"] for uri in uris)


def test_a_waived_failure_is_suppressed_and_says_by_whom(run_of):
    waiver = Waiver("NA201", "*", None, "known", "on-call", None, "*", 1)
    suppressed = {
        result["ruleId"]: result["suppressions"] for result in run_of(OFF_NODE, waivers=(waiver,))["results"] if "suppressions" in result
    }
    assert suppressed == {"NA201": [{"kind": "external", "justification": "on-call: known"}]}


def test_a_rule_that_crashed_is_a_notification_and_no_result(host, rules_with_a_crash):
    (run,) = sarif_document(audit(host(OFF_NODE), rules=rules_with_a_crash), BUNDLE, frozenset(Outcome))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [note["associatedRule"] for note in invocation["toolExecutionNotifications"]] == [{"id": "NA201"}]
    assert "NA201" not in {result["ruleId"] for result in run["results"]}
