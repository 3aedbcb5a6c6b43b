"""The shells that run the script, and what is made once for all tests of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.collect.shell.script import script
from numaaudit.model.host import build_host
from numaaudit.report.as_json import dump
from numaaudit.report.host_json import host_document

SHELLS = tuple(argv for argv in (("dash",), ("busybox", "sh"), ("bash", "--posix")) if shutil.which(argv[0]))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``shell`` is each shell of this host."""
    if "shell" in metafunc.fixturenames:
        metafunc.parametrize("shell", SHELLS, ids=" ".join)


@pytest.fixture(scope="session")
def script_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("script") / "collect.sh"
    file.write_text(script())
    return str(file)


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where the script has its temporary folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def run(shell: tuple[str, ...], script_file: str, temporary: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Run the script with these arguments; afterwards nothing of it is left in the temporary folder."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "TMPDIR": str(temporary), **environment}
        argv = [str(shutil.which(shell[0])), *shell[1:], script_file, *arguments]
        return subprocess.run(argv, env=variables, cwd=temporary.parent, capture_output=True, text=True, check=False, timeout=120)

    yield run
    assert os.listdir(temporary) == []


@pytest.fixture
def document() -> Callable[[str], dict[str, Any]]:
    """What ``inspect --format json`` prints of a bundle."""

    def document(path: str) -> dict[str, Any]:
        source = open_input(path)
        found: dict[str, Any] = json.loads(dump(host_document(build_host(source.tree, source.manifest, source.gaps))))
        return found

    return document


@pytest.fixture
def redacted(shell: tuple[str, ...], tmp_path: Path) -> Callable[[str, list[bytes]], list[bytes]]:
    """What a filter of the script makes of each of these texts."""

    def redacted(name: str, texts: list[bytes]) -> list[bytes]:
        folder = tmp_path / name
        (folder / "in").mkdir(parents=True)
        (folder / "out").mkdir()
        for number, text in enumerate(texts):
            (folder / "in" / f"{number:04}").write_bytes(text)
        functions = script().rpartition('main "$@"')[0]
        loop = 'work=$1\nfor file in "$1"/in/*; do\n    "$2" <"$file" >"$1/out/${file##*/}"\ndone\n'
        (folder / "filter.sh").write_text(functions + loop)
        done = subprocess.run([*shell, str(folder / "filter.sh"), str(folder), name], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return [file.read_bytes() for file in sorted((folder / "out").iterdir())]

    return redacted
