"""Sides by mark."""

import pytest

from numaaudit.compare.sides import in_order
from numaaudit.core.marks import MARKS


@pytest.mark.parametrize(
    ("marks", "order"),
    [
        (("baseline", "local", "rollback"), [0, 1, 2]),
        (("rollback", "baseline", "local"), [1, 2, 0]),
        (("local", "baseline"), [1, 0]),
        (("rollback", "control"), [1, 0]),
    ],
)
def test_inputs_that_are_marked_as_different_sides_are_taken_as_these(marks, order):
    assert in_order(marks) == order


@pytest.mark.parametrize(
    "marks",
    [(None, None), ("local", None), ("rollback", None, "baseline"), ("baseline", "baseline"), ("local", "control"), ("later", "local")],
)
def test_all_else_is_taken_as_typed(marks):
    assert in_order(marks) == list(range(len(marks)))


def test_every_mark_is_a_side():
    assert [in_order(("rollback" if mark == "baseline" else "baseline", mark)) for mark in MARKS] == [[1, 0], [0, 1], [0, 1], [0, 1]]
