"""What a parser is: a pure function from text to a record, and where its texts are found."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from numaaudit.bundle.manifest import command_path
from numaaudit.bundle.tree import File, Gap

R = TypeVar("R")


class Command(NamedTuple):
    """A command line whose standard output a parser reads."""

    argv: tuple[str, ...]

    @property
    def path(self) -> str:
        return command_path(self.argv)


class Parser(NamedTuple):
    """``reads``: globs below the host's root (``proc/[0-9]*/status``) or of the bundle (``logs/*``), or Commands.

    ``looks_like`` finds the format in a pasted text: an expression, with ``^`` at each line, that matches at the start of the
    first line of such a part. It is compiled only when a text is pasted.
    """

    parse: Callable[[str], Any]
    reads: tuple[str | Command, ...]
    looks_like: str = ""

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Where its format begins in a pasted text; nowhere for a format that is found by its path only."""
        return re.finditer(self.looks_like, text, re.M) if self.looks_like else iter(())

    @property
    def record(self) -> type:
        """The class of the records it makes: the function's return annotation."""
        kind: type = get_type_hints(self.parse)["return"]
        return kind


class Found(Generic[R]):
    """A record and the file it was read from. ``reading`` is 0, or n for a file below ``again/<n>/``.

    ``command``: the command line above it in a pasted transcript, as typed.
    """

    __slots__ = ("command", "file", "reading", "record")

    def __init__(self, record: R, file: File, reading: int = 0, command: str | None = None) -> None:
        self.record = record
        self.file = file
        self.reading = reading
        self.command = command

    @property
    def is_part(self) -> bool:
        """Whether the command line above it shows a part of the output only, as ``head`` does."""
        return bool(re.search(r"\b(?:head|tail|e?grep|sed|awk)\b", self.command or ""))

    def __repr__(self) -> str:
        return f"Found({self.record!r}, {self.file.path!r}, reading={self.reading})"


class Part(NamedTuple):
    """A record that was recognised by content."""

    kind: type
    found: Found[Any]


class Missed(NamedTuple):
    """A file that should have given a record and did not."""

    record: type
    gap: Gap
