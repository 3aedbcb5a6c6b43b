"""The lab runs only when asked for by name (``pytest tests/lab``, ``make lab``): it needs an emulator, a kernel and minutes."""

from __future__ import annotations

import compileall
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from runs import Run
    from shapes import HostShape

LAB = Path(__file__).resolve().parent
GUESTS_AT_ONCE = 2  # each keeps one CPU busy
sys.path.insert(0, str(LAB))  # the guest's scripts and the tests share modules


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if _is_asked_for(config) else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not _is_asked_for(config):
        terminalreporter.write_line("tests/lab was not run; it boots guests: make lab")


def _is_asked_for(config: pytest.Config) -> bool:
    return any(path == LAB or LAB in path.parents for path in _asked_for(config))


def _asked_for(config: pytest.Config) -> list[Path]:
    return [(config.invocation_params.dir / argument.split("::")[0]).resolve() for argument in config.args]


@pytest.fixture(scope="session")
def boot(pytestconfig: pytest.Config) -> Iterator[Callable[[HostShape], Run]]:
    """The run of a shape: one boot a session, and one only where it fails. All boot side by side when the whole lab was asked for."""
    from runs import Run, emit_collectors
    from shapes import SHAPES

    for folder in (LAB, LAB.parents[1] / "numaaudit"):
        compileall.compile_dir(folder, quiet=1)  # the guest, far slower, cannot keep what it compiles
    emit_collectors()
    runs: dict[HostShape, Future[Run]] = {}
    with ThreadPoolExecutor(GUESTS_AT_ONCE) as guests:

        def run_of(shape: HostShape) -> Run:
            for each in SHAPES if LAB in _asked_for(pytestconfig) else (shape,):
                if each not in runs:
                    runs[each] = guests.submit(Run, each)
            return runs[shape].result()

        yield run_of


@pytest.fixture
def two_packages(boot: Callable[[HostShape], Run]) -> Run:
    from shapes import TWO_PACKAGES_5_3

    return boot(TWO_PACKAGES_5_3)


@pytest.fixture
def interleaved(boot: Callable[[HostShape], Run]) -> Run:
    from shapes import INTERLEAVED_WITH_MEMORY_ONLY

    return boot(INTERLEAVED_WITH_MEMORY_ONLY)


@pytest.fixture
def eight_numa_nodes(boot: Callable[[HostShape], Run]) -> Run:
    from shapes import EIGHT_NUMA_NODES

    return boot(EIGHT_NUMA_NODES)
