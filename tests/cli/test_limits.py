"""``numaaudit --limit NAME=N``."""

import subprocess
import sys
from pathlib import Path

import pytest

BUNDLE = str(Path(__file__).parents[2] / "sample_bundles" / "healthy-4-4.tar.gz")


def numaaudit(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "numaaudit", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=120
    )


@pytest.mark.parametrize("command", ("check", "verify"))
def test_a_limit_holds_for_every_command(command):
    ended = numaaudit("--limit", "members=5", command, BUNDLE)

    assert (4, f"numaaudit: {BUNDLE}: more than 5 members\n  if that is right: numaaudit --limit members=N ...\n") == (
        ended.returncode,
        ended.stderr,
    )
    assert numaaudit("--limit", "members=100000", "--limit", "ratio=300", command, BUNDLE).returncode == 0


@pytest.mark.parametrize("change", ("none=5", "members", "members=-5", "members=", "members=\u00b2"))
def test_a_limit_that_is_none_is_wrong_usage(change):
    ended = numaaudit("--limit", change, "verify", BUNDLE)

    assert (2, f"numaaudit: --limit {change}: ") == (ended.returncode, ended.stderr[: len(change) + 21])
