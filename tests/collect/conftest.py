"""Roots of invented hosts, written to a temporary directory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from numaaudit.bundle.opening import Opened, open_input
from numaaudit.bundle.verify import verify_bundle
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit

MakeRoot = Callable[[Mapping[str, str]], str]


@pytest.fixture
def make_root(tmp_path: Path) -> MakeRoot:
    """Write path -> text as files; a text that starts with ``@`` is the target of a symbolic link."""

    def make(files: Mapping[str, str]) -> str:
        for path, text in files.items():
            place = tmp_path / "root" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("@"):
                place.symlink_to(text[1:])
            else:
                place.write_text(text)
        return str(tmp_path / "root")

    return make


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[str]]:
    """A process with four threads that does nothing, for a minute."""
    thread = "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    code = "import threading, time; [%s for _ in range(3)]; print(flush=True); time.sleep(60)" % thread
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "LOCAL_RANK": "3"})
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def sound() -> Callable[[Path], Opened]:
    """A bundle that is whole, opens, and is judged without a crash: what ``check`` then says has exit code 0, 1 or 5."""

    def check(path: Path) -> Opened:
        assert verify_bundle(str(path)).lines == ["intact (unsigned)"]
        opened = open_input(str(path))
        assert audit(build_host(opened.tree, opened.manifest, opened.gaps)).crashes == ()
        return opened

    return check
