"""Baseline, local, remote and rollback on a real kernel: each step is judged right, also a rollback that did not restart."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from change import CHANGED_SHAPE
from runs import Run, numaaudit
from shapes import HostShape


@pytest.fixture
def compared(boot: Callable[[HostShape], Run]) -> Callable[..., dict[str, Any]]:
    """The comparison of states of the two ranks, by their names."""
    results = boot(CHANGED_SHAPE).results

    def compare(*names: str) -> dict[str, Any]:
        return json.loads(numaaudit("compare", *(str(results / f"{name}.tar.gz") for name in names), "--format", "json").stdout)

    return compare


def states(made: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["subject"], row["aspect"]): row["state"] for row in made["differences"]}


@pytest.mark.parametrize(
    ("names", "verdict"),
    [
        (("baseline", "local"), "better"),
        (("local", "baseline"), "worse"),
        (("local", "remote"), "worse"),
        (("baseline", "remote"), "worse"),
        (("baseline", "rollback"), "equal"),
        (("baseline", "local", "rollback"), "restored"),
        (("local", "remote", "local"), "restored"),
        (("baseline", "local", "not-restarted"), "partly-restored"),
        (("baseline", "local", "local"), "not-restored"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else value,
)
def test_each_step_is_judged_right(compared: Callable[..., dict[str, Any]], names: tuple[str, ...], verdict: str) -> None:
    made = compared(*names)

    assert (made["identity"], made["verdict"]) == ("same", verdict)


def test_a_restarted_rollback_has_nothing_left_of_the_change(compared: Callable[..., dict[str, Any]]) -> None:
    made = compared("baseline", "local", "rollback")

    assert states(made) == {("rank:1", "allowed_cpus"): "restored", ("rank:1", "anonymous_pages"): "restored"}
    assert made["notes"] == []


def test_a_rollback_that_did_not_restart_has_old_pages(compared: Callable[..., dict[str, Any]]) -> None:
    made = compared("baseline", "local", "not-restarted")

    assert states(made) == {("rank:1", "allowed_cpus"): "restored", ("rank:1", "anonymous_pages"): "not-restored"}
    assert [(note["kind"], note["subject"], note["columns"], note["restarted"]) for note in made["notes"]] == [
        ("old-pages", "rank:1", ["base", "rollback"], False),
        ("live-change", "rank:1", ["after", "rollback"], False),
    ]
