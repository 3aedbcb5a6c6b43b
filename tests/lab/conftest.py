"""The lab runs only when asked for by name (``pytest tests/lab``, ``make lab``): it needs root once, an emulator and minutes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the guest's scripts and the tests share modules


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if _is_asked_for(config) else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not _is_asked_for(config):
        terminalreporter.write_line("tests/lab was not run; it boots guests: make lab")


def _is_asked_for(config: pytest.Config) -> bool:
    paths = [(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args]
    return any(path == HERE or HERE in path.parents for path in paths)
