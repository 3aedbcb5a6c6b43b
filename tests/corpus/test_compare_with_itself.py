"""Nothing differs from itself: over every labelled case and every recorded machine."""

import os
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.compare.diff import compare
from numaaudit.compare.from_host import snapshot_of
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit

CORPORA = Path(os.environ["NUMAAUDIT_CORPORA"])
BUNDLES = sorted([*CORPORA.glob("cases/*/bundle.tar.gz"), *CORPORA.glob("machines/*/*.tar.*")])


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_case_differs_in_nothing_from_itself(path):
    opened = open_input(str(path))
    host = build_host(opened.tree, opened.manifest, opened.gaps)
    snapshot = snapshot_of(host, audit(host), opened.kind)
    later = snapshot._replace(collected_at="2026-11-30T00:00:00Z")

    for made in (compare((snapshot, snapshot)), compare((snapshot, later)), compare((snapshot, later, snapshot))):
        assert made.rows == ()
        assert {each.aspect for each in made.unseen} <= {"masks and pages"}
        assert {note.kind for note in made.notes} <= {"nothing-changed"}
        assert {row.state for row in made.findings} <= {"unchanged"}


def test_there_are_cases():
    assert BUNDLES
