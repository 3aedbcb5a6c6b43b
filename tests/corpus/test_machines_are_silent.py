"""Recorded machines without ranks: nothing there is wrong enough to be raised."""

import os
from pathlib import Path

import pytest
import yaml

from numaaudit.bundle.opening import open_input
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Severity

MACHINES = Path(os.environ["NUMAAUDIT_CORPORA"]) / "machines"


def archives() -> list[Path]:
    """The file trees: archives that a truth file stands beside."""
    return sorted(path for path in MACHINES.glob("*/*.tar.*") if path.with_name(f"{path.name.partition('.tar.')[0]}.truth.yaml").exists())


@pytest.mark.parametrize("archive", archives(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_is_raised_at_low_or_above(archive):
    opened = open_input(str(archive))

    result = audit(build_host(opened.tree, opened.manifest, opened.gaps))

    assert result.crashes == ()
    assert [(finding.id, finding.severity.value) for finding in result.failing(Severity.LOW)] == []


def test_there_are_machines():
    assert len(archives()) == sum(1 for _ in truths())


def truths():
    for path in MACHINES.glob("*/*.truth.yaml"):
        if "archive_root" in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}):
            yield path
