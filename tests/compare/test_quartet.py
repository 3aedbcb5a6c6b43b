"""The sample runs before and after a change, a control, and a rollback that did not restart: every comparison of them is known."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "sample_bundles"
NAMES = ("1-baseline", "2-local", "3-remote", "4-rollback-not-restarted")
RUNS = {"run-1-2": (1, 2), "run-1-3": (1, 3), "run-1-2-4": (1, 2, 4)}
FORMS = {"json": "json", "txt": "text", "md": "markdown", "html": "html"}


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize("name", RUNS)
def test_every_comparison_is_as_expected(name: str, ending: str, update_golden: bool) -> None:
    argv = ["-m", "numaaudit", "compare", *(f"run-{NAMES[number - 1]}.tar.gz" for number in RUNS[name]), "--format", FORMS[ending]]
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, *argv], check=False, cwd=FOLDER, env=environ, capture_output=True, timeout=120)
    golden = FOLDER / "expected" / f"{name}.compare.{ending}"
    if update_golden:
        golden.write_bytes(done.stdout)

    assert done.stdout.decode() == golden.read_text(encoding="utf-8"), done.stderr.decode()
