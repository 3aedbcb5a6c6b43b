"""Runs numaaudit's commands in forks of one process that has loaded it: under emulation loading takes longer than most commands."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

from stand_ins import TOOL_FOLDER
from syscalls import stay_dumpable

NOBODY = 65534
PATIENCE = ("--deadline", "240")  # for a collection: the default of a minute is meant for a CPU, not for an emulated one
_LOADED = ("core", "bundle", "collect", "parse", "model", "launchers", "rules")


def load_numaaudit() -> None:
    for name in _LOADED:
        package = importlib.import_module(f"numaaudit.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in ("numaaudit.__main__", "numaaudit.cli.app", "numaaudit.report.as_json"):
        importlib.import_module(name)


def numaaudit(results: str, *arguments: str, user: int = 0) -> dict[str, Any]:
    """Run a command, as this user, and tell how it ended. TMPDIR is where the traceback of a crash would go."""
    began = time.monotonic()
    os.environ.update(PATH=f"{TOOL_FOLDER}:{os.defpath}", TMPDIR=results)
    printed = [Path(TOOL_FOLDER, name) for name in ("stdout", "stderr")]
    pid = os.fork()
    if pid == 0:
        _run(arguments, printed, user)
    exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    stdout, stderr = (file.read_text() for file in printed)
    return {"exit_code": exit_code, "stdout": stdout, "stderr": stderr, "seconds": round(time.monotonic() - began, 1)}


def _run(arguments: tuple[str, ...], printed: list[Path], user: int) -> NoReturn:
    exit_code = 70  # EX_SOFTWARE: it did not end by itself
    try:
        for fd, file in enumerate(printed, start=1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), fd)
        if user:
            _become(user)
        sys.argv = ["numaaudit", *arguments, *(PATIENCE if arguments[0] == "collect" else ())]
        sys.modules["numaaudit.__main__"].main()
    except SystemExit as ended:
        exit_code = int(ended.code or 0)
    except Exception:  # noqa: BLE001  (it is shown, and told by the exit code)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code)


def _become(user: int) -> None:
    """Without any privilege; /proc/self stays its own, as it would after exec(2)."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    stay_dumpable()
