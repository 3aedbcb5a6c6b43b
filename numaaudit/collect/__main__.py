"""``python3 -m numaaudit.collect``, which is also what the portable collector runs: the standard library and nothing else."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from numaaudit.core.boundary import exit_code


def main() -> NoReturn:
    """Run the command line; never returns."""
    gc.disable()  # as numaaudit/__main__.py does
    sys.modules["psutil"] = None  # type: ignore[assignment]  # a host's own may be of any age; the walk through /proc stands in
    sys.exit(exit_code(_run))


def _run() -> int:
    from numaaudit.collect.argument_parser import parse

    try:
        options = parse(sys.argv[1:])
    except SystemExit as ended:  # help or the version was printed
        return int(ended.code or 0)
    from numaaudit.collect.front import run  # most of the start-up

    lines, code = run(options, called_as(sys.argv[0], sys.executable))
    sys.stdout.write("".join(line + "\n" for line in lines))
    return code


def called_as(path: str, python: str) -> str:
    """How to call this again: the portable file, which may be no program of its own, or the module."""
    import shlex  # after the start-up

    if os.path.basename(path) == "__main__.py":
        return "%s -m numaaudit.collect" % (os.path.basename(python) or "python3")
    if os.access(path, os.X_OK):
        return shlex.quote(path if "/" in path else "./" + path)
    return "%s %s" % (os.path.basename(python) or "python3", shlex.quote(path))


if __name__ == "__main__":
    main()
