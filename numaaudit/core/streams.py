"""The standard streams, whatever state the caller left them in."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Make all three usable.

    A closed one is /dev/null, lest a file that is opened later gets its number. Output is UTF-8, so that the same input gives the
    same bytes in every locale; only a terminal keeps its own encoding. What that cannot hold is escaped.
    """
    for number in range(3):
        _occupy(number)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0), "utf-8")
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(1, "w"), "utf-8")
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(2, "w"), "utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=None if sys.stdout.isatty() else "utf-8", errors="backslashreplace")


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


def to_nowhere(stream: TextIO) -> None:
    """Nobody takes its output any more: nothing is left to say, also not when Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
