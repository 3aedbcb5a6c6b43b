"""The page on numbers has every threshold, and no rule has one of somebody else's figures."""

import pytest

from numaaudit.rules.engine import load_rules
from numaaudit.rules.figures import page

WITH_THRESHOLDS = [loaded for loaded in load_rules() if loaded.thresholds]


@pytest.mark.parametrize("loaded", WITH_THRESHOLDS, ids=lambda loaded: loaded.rule.code)
def test_every_threshold_is_on_it_with_its_default(loaded):
    shown = ", ".join(f"{name} {value}" for name, value in loaded.thresholds._asdict().items())

    assert f"- {loaded.name} ({loaded.rule.code}): {shown}\n" in page()


@pytest.mark.parametrize("figure", [0.4, 40, 0.5776, 57.76, 240])
def test_no_threshold_is_a_figure_from_elsewhere(figure):
    assert [loaded.rule.code for loaded in WITH_THRESHOLDS if figure in loaded.thresholds] == []


@pytest.mark.parametrize("source", ["arXiv:2411.01460", "arXiv:2204.03290"])
def test_figures_have_their_source(source):
    assert source in page()
