"""One file, one test: every unit that is found by itself has a test file of its name."""

from pathlib import Path

import pytest

FAMILIES = ("bundle/adapters", "collect/collectors", "parse/parsers", "model/sections", "launchers/known", "rules/checks")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_unit_has_a_test_file(family: str, project: Path):
    units = [file.stem for file in sorted((project / "numaaudit" / family).glob("*.py")) if not file.stem.startswith("_")]
    assert [name for name in units if not (project / "tests" / family / f"test_{name}.py").is_file()] == []
