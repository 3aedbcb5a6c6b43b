"""Shares and totals from a stratified sample."""

import random

import pytest

from numaaudit.core.intervals import Interval, Stratum, share_of, total_of


def rounded(interval):
    return tuple(round(value, 4) for value in interval)


@pytest.mark.parametrize(
    ("hits", "present", "expected"),
    [(0, 400, (0.0, 0.0, 0.0095)), (400, 400, (1.0, 0.9905, 1.0)), (10, 100, (0.1, 0.0552, 0.1744)), (81, 263, (0.308, 0.2553, 0.3662))],
)
def test_one_stratum_gives_wilsons_interval(hits, present, expected):
    """81 of 263 is the example of Newcombe, Statistics in Medicine 17, 1998, 857-872, method 3: 0.2553 to 0.3662."""
    assert rounded(share_of([Stratum(1_000_000, present * 2, present, hits)])) == expected


def test_a_page_counts_for_as_many_as_it_stands_for():
    large, small = Stratum(9000, 100, 100, 0), Stratum(1000, 100, 100, 100)

    assert share_of([large, small]).estimate == pytest.approx(0.1)


def test_pages_that_are_not_present_count_for_nothing():
    assert share_of([Stratum(9000, 100, 10, 0), Stratum(900, 100, 100, 100)]).estimate == pytest.approx(0.5)


def test_unequal_weights_widen_the_interval():
    equal = share_of([Stratum(5000, 500, 500, 50), Stratum(5000, 500, 500, 50)])
    unequal = share_of([Stratum(9900, 500, 500, 50), Stratum(100, 500, 500, 50)])

    assert unequal.estimate == pytest.approx(equal.estimate)
    assert unequal.high - unequal.low > 1.3 * (equal.high - equal.low)


@pytest.mark.parametrize("strata", [[], [Stratum(1000, 0, 0)], [Stratum(1000, 100, 0)]])
def test_without_a_present_page_there_is_no_share(strata):
    assert share_of(strata) is None


def test_a_total_lies_between_nothing_and_all():
    assert total_of([Stratum(1000, 100, 100)]).estimate == 1000
    assert total_of([Stratum(1000, 100, 100)]).high == 1000
    assert total_of([Stratum(1000, 100, 0), Stratum(5000, 0, 0)]) == Interval(0.0, 0.0, 0.0)


@pytest.mark.parametrize("off", [0.01, 0.1, 0.5])
def test_the_interval_holds_the_true_share_nineteen_times_of_twenty(off):
    """Three mappings that are filled and placed differently; 400 samples of each."""
    rng = random.Random(7)
    population = [(50_000, 600, 1.0, off), (20_000, 300, 0.3, min(1.0, 2 * off)), (400_000, 300, 0.05, off / 2)]
    present = sum(size * there for size, _, there, _ in population)
    true = sum(size * there * far for size, _, there, far in population) / present
    held = sum(_holds(share_of([_draw(rng, *each) for each in population]), true) for _ in range(400))

    assert held >= 0.93 * 400


def _draw(rng, size, asked, there, far):
    present = sum(rng.random() < there for _ in range(asked))
    return Stratum(size, asked, present, sum(rng.random() < far for _ in range(present)))


def _holds(interval, true):
    return interval.low <= true <= interval.high


@pytest.mark.parametrize("there", [1.0, 0.9, 0.2])
def test_the_total_is_held_as_often(there):
    rng = random.Random(8)
    population = [(50_000, 600, there, 0), (20_000, 300, there / 2, 0)]
    true = sum(size * part for size, _, part, _ in population)
    held = sum(_holds(total_of([_draw(rng, *each) for each in population]), true) for _ in range(400))

    assert held >= 0.93 * 400
