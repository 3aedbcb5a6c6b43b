"""The collector where things go wrong: a process ends under its hands, and a user may see into one process only."""

from __future__ import annotations

import pytest
from runs import Json, Run, judged, numaaudit, outcomes


def test_a_process_that_ends_between_the_readings_is_a_gap_and_its_first_reading_is_kept(eight_numa_nodes: Run) -> None:
    pid = eight_numa_nodes.targets["doomed"]["pid"]
    gone = [gap["path"] for gap in eight_numa_nodes.model["gaps"] if gap["kind"] == "gone"]
    assert gone == [f"again/1/root/proc/{pid}"]
    assert eight_numa_nodes.process("doomed")["effective_cpus"] == "0-1"


@pytest.fixture
def unprivileged(eight_numa_nodes: Run) -> Json:
    return eight_numa_nodes.model_of("unprivileged/bundle")


@pytest.fixture
def hidden(eight_numa_nodes: Run) -> list[int]:
    """The processes that user may not see into."""
    return [target["pid"] for name, target in eight_numa_nodes.targets.items() if name not in ("rank-1", "doomed")]


def test_what_a_user_may_not_read_is_refused_with_what_it_takes(unprivileged: Json, hidden: list[int]) -> None:
    refused = {gap["path"]: gap["reason"] for gap in unprivileged["gaps"] if gap["kind"] == "refused"}
    expected = {f"root/proc/{pid}/{name}": pid for pid in hidden for name in ("environ", "fd", "numa_maps")}
    assert set(refused) == {*expected, "commands/dmesg.out"}
    assert all(f"sudo numaaudit collect --pid {pid}" in refused[path] for path, pid in expected.items())


def test_of_its_own_process_the_user_learns_everything(unprivileged: Json, eight_numa_nodes: Run) -> None:
    own = next(process for process in unprivileged["processes"] if process["pid"] == eight_numa_nodes.targets["rank-1"]["pid"])
    assert own == eight_numa_nodes.process("rank-1")


def test_what_is_hidden_is_unknown_and_neither_passes_nor_fails(eight_numa_nodes: Run, hidden: list[int]) -> None:
    report = eight_numa_nodes.report_on("unprivileged/bundle")
    assert (report["verdict"], report["gates"]["placement"]) == ("unknown", "unknown")
    assert judged(report, "fail") == {("balancing-scans-bound-ranks", "host")}
    assert outcomes(report, "required-evidence-missing") == {"host": "unknown"}
    for rule in ("memory-bound-off-cpus", "strict-bind-without-room", "huge-pages-on-other-numa-nodes"):
        assert {subject for subject, outcome in outcomes(report, rule).items() if outcome == "unknown"} == {f"pid:{pid}" for pid in hidden}


def test_that_bundle_is_intact(eight_numa_nodes: Run) -> None:
    verify = numaaudit("verify", str(eight_numa_nodes.results / "unprivileged/bundle.tar.gz"))
    assert verify.returncode == 0, verify.stdout + verify.stderr
