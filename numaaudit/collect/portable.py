"""The portable collector: core, bundle and collect in one file that any Python from 3.8 on runs (a zip as of zipapp).

Its bytes depend on nothing but the sources: members are in order of name, have one date, and are not compressed, since zlib's
output differs between its versions. So it also needs no zlib to start.
"""

from __future__ import annotations

import io
import os
from typing import Iterator, List

import numaaudit
from numaaudit.collect.program_file import write_program

_PACKAGES = ("numaaudit/core/", "numaaudit/bundle/", "numaaudit/collect/")

# Old syntax: what runs it may be older than 3.8, and is to say so in one line.
_MAIN = b"""\
import sys

if sys.version_info < (3, 8):
    sys.stderr.write("numaaudit: Python 3.8 or newer is needed, and this is Python %d.%d\\n" % sys.version_info[:2])
    sys.exit(4)

try:
    from numaaudit.collect.__main__ import main

    main()
except KeyboardInterrupt:
    sys.exit(130)
"""


def emit(target: str) -> List[str]:
    """Write the portable collector; returns what to say of it. CollectError if it cannot be written."""
    return write_program(target, portable(), "Python 3.8 or newer and nothing else")


def portable() -> bytes:
    """The bytes of the portable collector, from the sources that run now: a checkout, an installed package or itself."""
    from zipfile import ZipFile, ZipInfo  # at start-up it would take longer than all the rest of this module

    top = os.path.dirname(next(iter(numaaudit.__path__)))
    file = io.BytesIO()
    file.write(b"#!/usr/bin/env python3\n")
    with ZipFile(file, "w") as archive:
        for name in ["__main__.py", *sorted(_names(top))]:
            member = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.create_system, member.external_attr = 3, 0o100644 << 16  # a regular file of Unix
            archive.writestr(member, _MAIN if name == "__main__.py" else _load(os.path.join(top, name)))
    return file.getvalue()


def _load(path: str) -> bytes:
    return numaaudit.__loader__.get_data(path)  # type: ignore[union-attr, no-any-return]


def _names(top: str) -> Iterator[str]:
    for name in _all_names(top):
        if name == "numaaudit/__init__.py" or (name.startswith(_PACKAGES) and name.endswith((".py", ".sh"))):
            yield name


def _all_names(top: str) -> List[str]:
    """The files below a folder, or in a zip that is imported from."""
    from zipfile import ZipFile

    if os.path.isfile(top):
        with ZipFile(top) as archive:
            return archive.namelist()
    return [
        os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(os.path.join(top, "numaaudit")) for name in names
    ]
