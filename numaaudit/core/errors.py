"""The exceptions of numaaudit.

NumaAuditError          one line for the user; the command line turns it into exit code ``code``
├── UsageError          the command was called wrongly (exit 2)
├── InputError          an input cannot be used at all (exit 4)
│   └── LimitError      an input is larger than a limit of ``bundle/limits.py``
├── CollectError        nothing could be collected or written (exit 4)
│   ├── NothingSelectedError   no process is of the kind that was asked for
│   └── TargetExistsError      a bundle never replaces a file
└── ParseError          one text is not what its format promises; the parse runner turns it into a gap
"""

from __future__ import annotations

from typing import Optional


class NumaAuditError(Exception):
    """What went wrong, where, and what to do about it, in one line each."""

    code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(NumaAuditError):
    """The command line makes no sense."""

    code = 2


class InputError(NumaAuditError):
    """The input is no evidence: missing, damaged, hostile or empty."""

    code = 4


class LimitError(InputError):
    """The input exceeds a limit; the hint names the option that raises it."""


class CollectError(NumaAuditError):
    """Nothing was selected, or no bundle could be written."""

    code = 4


class NothingSelectedError(CollectError):
    """The host could be read, and no process on it is of the kind asked for."""


class TargetExistsError(CollectError):
    """There is a file of the name that a bundle was to get."""


class ParseError(NumaAuditError):
    """A text does not follow its format. ``line`` counts from 1."""

    def __init__(self, reason: str, line: Optional[int] = None) -> None:
        super().__init__(reason if line is None else "line %d: %s" % (line, reason))
        self.reason = reason
        self.line = line


def shown(name: str, most: int = 200) -> str:
    """A name out of an input, fit for one line of a message: what cannot be printed is escaped, what is long is cut."""
    start = name[:most]
    if not start.isprintable():
        start = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in start)
    return start + "..." if len(name) > most else start
