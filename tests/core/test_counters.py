"""Counters that only grow."""

import pytest

from numaaudit.core.counters import difference


@pytest.mark.parametrize(("before", "after", "expected"), [(1, 3, 2), (3, 3, 0), (3, 1, None), (None, 1, None), (2**64 - 1, 4, None)])
def test_a_difference_is_never_negative(before, after, expected):
    assert difference(before, after) == expected
