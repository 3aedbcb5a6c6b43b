"""A collection that watches for some seconds: what is counted in the window, and the mark that comparisons go by."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from further_runs import WATCHED_S
from interrupts import SERVED_BY
from runs import Json, Run


@pytest.fixture
def watch(two_packages: Run) -> Json:
    return two_packages.model_of("watch")


@pytest.fixture
def kept(two_packages: Run) -> dict[str, Json]:
    """The bundle's two JSON documents."""
    with tarfile.open(two_packages.results / "watch.tar.gz") as bundle:
        members = {name: bundle.extractfile(name) for name in ("manifest.json", "samples/window.json")}
        return {name: json.load(member) for name, member in members.items() if member}


def test_the_mark_and_the_length_of_the_window_are_kept(kept: dict[str, Json]) -> None:
    window = kept["samples/window.json"]
    assert kept["manifest.json"]["mark"] == "baseline"
    assert window["seconds"] == pytest.approx(WATCHED_S, abs=2)
    assert len(window["at_s"]) == window["readings"] + 1


def test_threads_that_work_are_the_ones_with_cpu_time(watch: Json, kept: dict[str, Json]) -> None:
    threads = [thread for process in watch["processes"] for thread in process["threads"]]
    busy = {thread["tid"] for thread in threads if thread["cpu_ticks_delta"]}
    listed = {thread["tid"] for process in kept["samples/window.json"]["processes"] for thread in process["threads"]}
    assert busy == {process["threads"][1]["tid"] for process in watch["processes"]} == listed


def test_interrupts_in_the_window_are_what_the_verdict_is_on(two_packages: Run, tmp_path: Path) -> None:
    policy = tmp_path / "numaaudit.yaml"
    policy.write_text("rules:\n  NA502:\n    thresholds:\n      busy_delta: 5\n")

    report = two_packages.report_on("watch", "--policy", str(policy))

    failed = [each for each in report["findings"] if (each["rule"], each["outcome"]) == ("NA502", "fail")]
    assert [(each["severity"], each["facts"]["cpus"]) for each in failed] == [("low", str(SERVED_BY))] * 2
    assert all(each["facts"]["since"].startswith("in ") for each in failed)  # and not since boot
