"""Where the project is, for the tests of its own shape."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project() -> Path:
    """The top folder of the checkout."""
    return PROJECT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``source`` is every Python file, ``portable`` every file of the collector, by path below the project."""
    if "source" in metafunc.fixturenames:
        _parametrize(metafunc, "source", ("numaaudit", "tests", "sample_bundles"))
    if "portable" in metafunc.fixturenames:
        _parametrize(metafunc, "portable", ("numaaudit/core", "numaaudit/bundle", "numaaudit/collect"))


def _parametrize(metafunc: pytest.Metafunc, name: str, folders: tuple[str, ...]) -> None:
    files = sorted(str(file.relative_to(PROJECT)) for folder in folders for file in (PROJECT / folder).rglob("*.py"))
    metafunc.parametrize(name, [PROJECT / file for file in files], ids=files)
