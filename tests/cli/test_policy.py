"""Policies on the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from numaaudit.rules.policy import parse_policy
from numaaudit.rules.settings import default_policy

SAMPLE = str(Path(__file__).parents[2] / "sample_bundles" / "asymmetric-5-3.tar.gz")
WAIVED = "waivers:\n- {rule: '*', subject: '*', reason: known, owner: on-call, expires: 2026-11-29}\n"
EXPIRED = WAIVED.replace("2026-11-29", "2026-11-28")


def numaaudit(*arguments):
    argv = [sys.executable, "-m", "numaaudit", *arguments]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def policy(tmp_path):
    def write(text):
        path = tmp_path / "numaaudit.yaml"
        path.write_text(text)
        return str(path)

    return write


def checked(*arguments):
    return json.loads(numaaudit("check", SAMPLE, "--format", "json", *arguments).stdout)


def test_a_new_file_changes_nothing_and_means_something_without_its_marks():
    text = numaaudit("policy", "init").stdout
    by_default = default_policy()._replace(path="p.yaml")

    assert parse_policy(text, "p.yaml") == by_default
    meant = parse_policy(re.sub(r"^#(?! )|^#(?=  )", "", text, flags=re.M).replace("plugins: [name]", ""), "p.yaml")
    assert (meant.profile, len(meant.waivers)) == ("serving", 1)
    assert {loaded.rule.code: loaded.thresholds for loaded in meant.rules}.items() >= {
        loaded.rule.code: loaded.thresholds for loaded in by_default.rules
    }.items()


def test_a_file_that_exists_is_not_written_over(policy):
    path = policy("# mine\n")

    assert numaaudit("policy", "init", path).returncode == 4
    assert Path(path).read_text() == "# mine\n"


def test_check_says_what_a_policy_changes(policy):
    text = "profile: training\nrules: {NA201: {severity: low}, NA205: {enabled: false}}\n" + WAIVED

    assert numaaudit("policy", "check", policy(text)).stdout.splitlines()[1:] == [
        "profile training",
        "NA201 severity low (default high)",
        "NA203 runnable_per_cpu 2.0 (default 1.5)",
        "NA205 off",
        "NA301 off_node_mib 1024 (default 256)",
        "waiver *@* on * by on-call until 2026-11-29: known",
    ]


@pytest.mark.parametrize("command", [["check", SAMPLE, "--policy"], ["report", SAMPLE, "--policy"], ["policy", "check"]])
def test_a_wrong_policy_is_one_line_with_its_place(policy, command):
    path = policy("rules:\n  NA201:\n    severity: awful\n")
    ended = numaaudit(*command, path)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"numaaudit: {path}:3: one of critical, high, medium, low, info belongs here\n"


def test_what_is_waived_fails_nothing_and_says_who_answers(policy):
    ended = numaaudit("check", SAMPLE, "--policy", policy(WAIVED))

    assert ended.returncode == 0
    assert "rank-cpus-off-gpu-node (NA201) rank:4: waived by on-call until 2026-11-29: known" in ended.stdout
    assert re.search(r"^0 fail, .* waived$", ended.stdout.splitlines()[-1])


def test_a_waiver_is_in_the_document(policy):
    document = checked("--policy", policy(WAIVED))

    assert {finding["waiver"]["owner"] for finding in document["findings"] if finding["outcome"] == "fail"} == {"on-call"}
    assert document["summary"]["waived"] == document["summary"]["fail"] > 0
    assert document["verdict"] == "pass"


def test_an_expired_waiver_waives_nothing_and_is_reported(policy):
    document = checked("--policy", policy(EXPIRED))

    assert document["verdict"] == "fail"
    assert [finding["id"] for finding in document["findings"] if finding["rule"] == "NA810"] == ["NA810@waiver:2"]


def test_thresholds_in_force_are_in_the_document_and_the_explanation(policy):
    path = policy("rules: {NA201: {thresholds: {idle_share: 0.01}}}\n")
    (found,) = [finding for finding in checked("--policy", path)["findings"] if finding["rule"] == "NA201"]

    assert found["thresholds"] == {"off_node_share": 0.5, "idle_share": 0.01}
    assert "thresholds: off_node_share 0.5, idle_share 0.01" in numaaudit("explain", "NA201", SAMPLE, "--policy", path).stdout


def test_consequences_name_their_cause():
    document = checked()

    assert {finding["id"]: finding["caused_by"] for finding in document["findings"] if finding["outcome"] == "fail"} == {
        "NA201@rank:4": "NA701@rank:4",
        "NA701@rank:4": None,
        "NA102@host": "NA701@rank:4",
    }


def test_a_policy_turns_experimental_rules_on_and_their_findings_say_so(policy):
    by_default = checked("--all")["findings"]
    turned_on = checked("--all", "--policy", policy("experimental: true\n"))["findings"]

    assert {each["experimental"] for each in by_default} == {False}
    assert (
        {each["id"] for each in turned_on if each["experimental"]}
        == {each["id"] for each in turned_on} - {each["id"] for each in by_default}
        != set()
    )
