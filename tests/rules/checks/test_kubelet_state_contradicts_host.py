"""NA609: a CPU manager's state that gives CPUs twice, or that does not fit the host."""

import json

import pytest

from numaaudit.rules.finding import Outcome, Severity

FILE = "file:/var/lib/kubelet/cpu_manager_state"
STATE = "root/var/lib/kubelet/cpu_manager_state"
CONFIG = "root/var/lib/kubelet/config.yaml"
A, B = "aaaa1111-1111-2222-3333-444455556666", "bbbb1111-1111-2222-3333-444455556666"


@pytest.fixture
def given(root, build):
    """The host of CPUs 0-7 with this pool and these CPUs by pod and container, and more files."""

    def make(pool, entries, policy="static", **more):
        state = {"policyName": policy, "defaultCpuSet": pool, "entries": entries, "checksum": 1}
        return build(root("2p-2n-2g") | {STATE: json.dumps(state)} | more.get("files", {}))

    return make


def config(*lines):
    return {CONFIG: "\n".join(("kind: KubeletConfiguration", "cpuManagerPolicy: static", *lines, ""))}


def test_silent_where_each_cpu_is_there_once(given, outcomes):
    host = given("0-3", {A: {"main": "4-5"}, B: {"main": "6-7"}}, files=config())

    assert outcomes(host, "NA609") == {(f"pod:{A}", "pass"), (f"pod:{B}", "pass"), (FILE, "pass")}


def test_containers_of_one_pod_may_share(given, outcomes):
    assert outcomes(given("0-3", {A: {"init": "4-7", "main": "4-7"}}), "NA609") == {(f"pod:{A}", "pass"), (FILE, "pass")}


def test_two_pods_with_the_same_cpus(given, judge):
    first, second, file = judge(given("0-3", {A: {"main": "4-6"}, B: {"main": "6-7"}}), "NA609")

    assert [(each.subject, each.outcome) for each in (first, second)] == [(f"pod:{A}", Outcome.FAIL), (f"pod:{B}", Outcome.FAIL)]
    assert (str(first.facts["cpus"]), first.facts["other"], first.severity) == ("6", f"pod {B}", None)
    assert [(line.path, line.line) for line in first.evidence] == [(STATE, 1)]
    assert file.outcome is Outcome.PASS


def test_cpus_of_a_pod_that_are_in_the_pool_too(given, judge):
    pod, _ = judge(given("0-5", {A: {"main": "4-7"}}), "NA609")

    assert (pod.outcome, str(pod.facts["cpus"]), pod.facts["other"]) == (Outcome.FAIL, "4-5", "the shared pool")


def test_cpus_that_are_not_online(given, judge):
    file, _ = judge(given("0-5,8-9", {A: {"main": "6-7"}}), "NA609")

    assert (file.outcome, file.message, file.severity) == (Outcome.FAIL, "offline", None)
    assert (str(file.facts["cpus"]), str(file.facts["online"])) == ("8-9", "0-7")


def test_online_cpus_that_are_missing_are_low(given, judge):
    file, _ = judge(given("0-3", {A: {"main": "6-7"}}, files=config()), "NA609")

    assert (file.outcome, file.message, file.severity, str(file.facts["cpus"])) == (Outcome.FAIL, "missing", Severity.LOW, "4-5")


@pytest.mark.parametrize("lines", [("reservedSystemCPUs: 4-5",), ("cpuManagerPolicyOptions:", '  strict-cpu-reservation: "true"')])
def test_silent_where_missing_cpus_are_reserved(given, outcomes, lines):
    assert outcomes(given("0-3", {A: {"main": "6-7"}}, files=config(*lines)), "NA609") == {(f"pod:{A}", "pass"), (FILE, "pass")}


def test_missing_cpus_are_not_judged_without_the_configuration(given, outcomes):
    assert outcomes(given("0-3", {A: {"main": "6-7"}}), "NA609") == {(f"pod:{A}", "pass"), (FILE, "pass")}


def test_unknown_without_the_online_cpus(build, outcomes):
    state = {"policyName": "static", "defaultCpuSet": "0-3", "entries": {}, "checksum": 1}

    assert outcomes(build({STATE: json.dumps(state)}), "NA609") == {(FILE, "unknown")}


def test_does_not_apply_under_another_policy_or_without_a_kubelet(given, host, outcomes):
    assert outcomes(given("", {}, policy="none"), "NA609") == {(FILE, "not_applicable")}
    assert outcomes(host("2p-2n-2g"), "NA609") == {(FILE, "not_applicable")}
