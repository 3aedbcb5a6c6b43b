"""Where a collector goes that is written in place of a collection."""

from __future__ import annotations

import os
import sys
from typing import List

from numaaudit.bundle.new_file import new_file
from numaaudit.core.units import format_bytes

_MODE = 0o755


def write_program(target: str, data: bytes, needs: str) -> List[str]:
    """Write it to a new file that can be run, or for ``-`` to standard output; returns what to say of it. CollectError as new_file."""
    if target == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return []
    with new_file(target, _MODE) as file:
        os.fchmod(file.fileno(), _MODE)
        file.write(data)
    return ["%s: %s, runs with %s" % (target, format_bytes(len(data)), needs)]
