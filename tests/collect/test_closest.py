"""Names for somebody who mistyped one."""

from numaaudit.collect.closest import closest


def test_the_most_alike_come_first_and_equals_stay_in_order():
    assert closest("router", ["worker0", "worker1", "rooter", "router", "x", "y"], str) == ["router", "rooter", "worker0", "worker1", "x"]


def test_what_is_known_is_compared_by_its_name():
    assert closest("b", [(1, "a"), (2, "b")], lambda pair: pair[1]) == [(2, "b"), (1, "a")]
