"""Failures that rest on a sample of pages: without a piece of evidence they are at most unknown."""

import pytest

from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Outcome

BY_SAMPLES = ("NA301", "NA303", "NA315", "NA316", "NA317")


@pytest.fixture
def remote(root, sampled):
    """Rank 1's memory on the other NUMA node: bound there, or interleaved, or only claimed to be at home; and its huge pages."""

    def make(policy):
        entries = root("2p-2n-2g")
        status = entries["root/proc/101/status"].replace("HugetlbPages:\t       0 kB", "HugetlbPages:\t4194304 kB")
        log = "Binding worker subprocess (local_rank=1, gpu_index=1) to CPUs 2-3,6-7 and NUMA nodes 1\n"
        strata = {"anon": (4096, {0: 4000}), "hugetlb": (4096, {0: 2000})}
        return sampled(entries | {"root/proc/101/status": status, "logs/server.log": log}, 101, policy, strata)

    return make


@pytest.mark.parametrize(
    ("policy", "failing"), [("bind:0", {"NA301"}), ("default", {"NA301", "NA315", "NA317"}), ("interleave:0-1", {"NA316"})]
)
def test_removing_any_piece_of_evidence_never_turns_a_failure_into_a_pass(remote, build, policy, failing):
    entries = remote(policy)
    rules = [loaded for loaded in load_rules() if loaded.rule.code in BY_SAMPLES]
    failed = {each for each, outcome in outcomes(entries, build, rules).items() if outcome is Outcome.FAIL}
    acquitted = {
        (path, *each)
        for path in entries
        if not path.startswith("logs/")  # without the line nothing is claimed
        for each, outcome in outcomes({other: text for other, text in entries.items() if other != path}, build, rules).items()
        if each in failed and outcome in (Outcome.PASS, Outcome.NOT_APPLICABLE)
    }

    assert failing <= {code for code, _ in failed}
    assert acquitted == set()


def outcomes(entries, build, rules):
    found = audit(build(entries), rules=rules).findings
    return {(each.rule.code, each.judgement.subject): each.judgement.outcome for each in found}
