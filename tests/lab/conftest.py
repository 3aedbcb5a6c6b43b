"""The lab runs only when asked for by name (``pytest tests/lab``, ``make lab``): it needs an emulator, a kernel and minutes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from runs import Run
    from shapes import HostShape

LAB = Path(__file__).resolve().parent
sys.path.insert(0, str(LAB))  # the guest's scripts and the tests share modules


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if _is_asked_for(config) else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not _is_asked_for(config):
        terminalreporter.write_line("tests/lab was not run; it boots guests: make lab")


def _is_asked_for(config: pytest.Config) -> bool:
    paths = [(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args]
    return any(path == LAB or LAB in path.parents for path in paths)


@pytest.fixture(scope="session")
def boot() -> Callable[[HostShape], Run]:
    """The run of a shape: one boot a session, and one only where it fails."""
    from guest import LabError
    from runs import Run

    ended: dict[str, Run | LabError] = {}

    def run_of(shape: HostShape) -> Run:
        if shape.name not in ended:
            try:
                ended[shape.name] = Run(shape)
            except LabError as error:
                ended[shape.name] = error
        run = ended[shape.name]
        if isinstance(run, LabError):
            raise run
        return run

    return run_of
