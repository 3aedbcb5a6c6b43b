"""Shares estimated from a stratified random sample, with the interval that holds the true one in 95 of 100 samples.

Stratum ``h`` has ``N`` pages, of which ``n`` were drawn with replacement and ``r`` were present; each present page stands for
``w = N/n`` pages. The share of pages with a property among those present is the combined ratio estimate, the sum of ``w`` over
those with it divided by the sum over all present (Cochran, Sampling Techniques, 3rd ed., 6.11). The interval is Wilson's score
interval (J. Am. Stat. Assoc. 22, 1927, 209-212), which stays inside 0 to 1 and is honest where no page or every page has the
property, for an effective sample size (Korn and Graubard, Survey Methodology 24, 1998, 193-201). That is the smaller of two:
Kish's for unequal weights, ``(sum of w)^2 / sum of w^2``; and ``p(1-p)/v``, with ``v`` the ratio's variance by linearisation, the
gain of stratification left out, which errs on the wide side.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Sequence

Z_95 = 1.959964  # of the standard normal distribution


class Stratum(NamedTuple):
    """``size`` pages, of which ``asked`` were drawn at random, ``present`` were there, and ``hits`` of these have the property."""

    size: int
    asked: int
    present: int
    hits: int = 0

    @property
    def weight(self) -> float:
        """Pages that one drawn page stands for."""
        return self.size / self.asked


class Interval(NamedTuple):
    """An estimate and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


def share_of(strata: Sequence[Stratum]) -> Optional[Interval]:
    """The share of the present pages that have the property, from 0 to 1; None where no page was present."""
    drawn = [each for each in strata if each.present]
    total = sum(each.weight * each.present for each in drawn)
    if not total:
        return None
    share = sum(each.weight * each.hits for each in drawn) / total
    return _wilson(min(max(share, 0.0), 1.0), _effective_size(drawn, share, total))


def total_of(strata: Sequence[Stratum]) -> Interval:
    """How many pages are present in all (Cochran, 5.3 and 5.6); each stratum's variance as if two more were and two more were not
    present (Agresti and Coull, Am. Stat. 52, 1998, 119-126), so that it is not 0 where all were or none was."""
    drawn = [each for each in strata if each.asked]
    estimate = sum(each.weight * each.present for each in drawn)
    margin = Z_95 * math.sqrt(sum(_variance_of_total(each) for each in drawn if each.present))
    return Interval(estimate, max(0.0, estimate - margin), min(estimate + margin, float(sum(each.size for each in strata))))


def _effective_size(drawn: Sequence[Stratum], share: float, total: float) -> float:
    of_weights = total**2 / sum(each.weight**2 * each.present for each in drawn)
    variance = sum(each.weight**2 * (each.hits * (1 - share) ** 2 + (each.present - each.hits) * share**2) for each in drawn) / total**2
    return of_weights if variance <= 0 else min(of_weights, max(1.0, share * (1 - share) / variance))


def _wilson(share: float, size: float) -> Interval:
    square = Z_95**2 / size
    middle = (share + square / 2) / (1 + square)
    margin = Z_95 / (1 + square) * math.sqrt(share * (1 - share) / size + square / (4 * size))
    return Interval(share, max(0.0, middle - margin), min(1.0, middle + margin))


def _variance_of_total(stratum: Stratum) -> float:
    there = (stratum.present + 2) / (stratum.asked + 4)
    return stratum.size**2 * there * (1 - there) / stratum.asked
