"""Cpusets of both versions: which group took what away, and what a refused request looks like."""

from __future__ import annotations

import pytest
from runs import Run, judged

OF_THE_BOARD = {("asymmetric-or-permuted-slots", "host"), ("cores-lie-across-numa-nodes", "host")}


@pytest.fixture(params=["v2", "v1"])
def shut_out(request: pytest.FixtureRequest) -> Run:
    """A host with a rank whose cpuset has nothing of its GPU's NUMA node."""
    return request.getfixturevalue({"v2": "two_packages", "v1": "interleaved"}[request.param])


def test_the_group_that_shuts_a_rank_out_is_named(shut_out: Run) -> None:
    process = shut_out.process("shut-out")
    rank = f"rank:{process['rank']}"
    finding = shut_out.finding("cpuset-cuts-affinity", rank)
    assert process["cgroup"] == "/shut-out"
    assert (finding["outcome"], finding["severity"]) == ("fail", "high")
    assert (finding["facts"]["group"], finding["facts"]["has"]) == ("cgroup /shut-out", process["effective_cpus"])
    assert shut_out.finding("rank-cpus-off-gpu-node", rank)["caused_by"] == finding["id"]


def test_the_line_of_the_kernel_is_that_of_the_hierarchy_in_use(two_packages: Run, interleaved: Run) -> None:
    findings = two_packages.finding("cpuset-cuts-affinity", "rank:9"), interleaved.finding("cpuset-cuts-affinity", "rank:4")
    assert [finding["evidence"][0]["path"] for finding in findings] == [
        "root/sys/fs/cgroup/shut-out/cpuset.cpus.effective",
        "root/sys/fs/cgroup/cpuset/shut-out/cpuset.effective_cpus",
    ]


def test_a_group_with_the_cpus_and_without_the_memory_is_named(interleaved: Run) -> None:
    without = interleaved.finding("cpuset-without-local-memory", "rank:5")
    assert (without["severity"], without["facts"]["group"], without["facts"]["has"]) == ("high", "cgroup /without-local-memory", "0")
    assert interleaved.process("without-local-memory")["allowed_mems"] == "0"


def test_a_refused_bind_leaves_the_process_unbound(interleaved: Run) -> None:
    refused = interleaved.process("refused")
    assert (refused["policy"], refused["allowed_mems"], refused["effective_cpus"]) == ("default", "1", "13,15")


def test_the_log_of_the_refusal_names_the_group_and_not_a_missing_privilege(interleaved: Run) -> None:
    report = interleaved.report_on("refused")
    assert judged(report, "fail") == {("cpuset-cuts-affinity", "cgroup:/refused"), *OF_THE_BOARD}
    (refusal,) = (each for each in report["findings"] if each["subject"] == "cgroup:/refused" and each["outcome"] == "fail")
    assert (refusal["severity"], refusal["facts"]["by"], refusal["facts"]["wanted"], refusal["facts"]["has"]) == (
        "medium",
        "numactl",
        "0",
        "1",
    )
    assert refusal["evidence"][0]["path"] == "logs/refused.log"
