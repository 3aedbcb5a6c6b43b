"""The last boundary of a front end: the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from typing import Callable

from numaaudit.core.errors import NumaAuditError
from numaaudit.core.streams import prepare, to_nowhere
from numaaudit.core.visible import one_line


def exit_code(command: Callable[[], int]) -> int:
    """Run a command and give its exit code. An error is one line on standard error, with a hint below it; a bug is a file and 3."""
    try:
        prepare()
        code = command()
        sys.stdout.flush()
    except NumaAuditError as error:
        _say(str(error), error.hint)
        return error.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        return 0
    except OSError as error:
        _say("%s: %s" % ("an empty name" if error.filename == "" else error.filename or "output", error.strerror), "")
        return 4
    except Exception:  # noqa: BLE001 - a bug of ours: nobody above could do better
        return _crashed()
    return code


def _say(message: str, hint: str) -> None:
    lines = ["numaaudit: " + one_line(message)] + (["  " + one_line(hint)] if hint else [])
    try:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
    except OSError:
        to_nowhere(sys.stderr)


def _crashed() -> int:
    """Keep the traceback in a file only its owner can read (mkstemp), and name it."""
    import tempfile
    import traceback

    trace = traceback.format_exc()
    try:
        fd, path = tempfile.mkstemp(prefix="numaaudit-crash-", suffix=".txt")
        with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(trace)
        _say("this is a bug of numaaudit; its traceback is in %s" % path, "")
    except OSError as error:
        _say("this is a bug of numaaudit: %s" % trace.splitlines()[-1], "its traceback cannot be written: %s" % error.strerror)
    return 3
