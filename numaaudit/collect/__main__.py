"""``python3 -m numaaudit.collect``, which is also what the portable collector runs: the standard library and nothing else."""

from __future__ import annotations

import gc
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

    lines, code = run(options)
    sys.stdout.write("".join(line + "\n" for line in lines))
    return code


if __name__ == "__main__":
    main()
