"""Find the texts a parser reads, by name or by content, and keep what could not be read as gaps."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.errors import ParseError
from numaaudit.core.plugins import discover
from numaaudit.parse.parser import Command, Found, Missed, Parser, Part

R = TypeVar("R")

_BUNDLE_FOLDERS = ("logs/", "commands/", "samples/", "pasted/", "root/")
_READING = re.compile(r"again/(\d{1,9})/")


@cache
def parsers_by_record() -> dict[type, tuple[Parser, ...]]:
    """Every parser by the class of its records; several parsers may make the same kind (log lines make claims)."""
    by_record: dict[type, tuple[Parser, ...]] = {}
    for parser in discover("numaaudit.parse.parsers", "PARSER", Parser).values():
        by_record[parser.record] = (*by_record.get(parser.record, ()), parser)
    return by_record


class Records:
    """The records of one tree, parsed when first asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._found: dict[type, tuple[Found[Any], ...]] = {}
        self._missed: dict[type, tuple[Missed, ...]] = {}
        self._loose = list(_read_loose(tree))

    def all(self, kind: type[R]) -> tuple[Found[R], ...]:
        """Every record of a kind, those found by name first, in order of path."""
        if kind not in self._found:
            self._read(kind)
        return self._found[kind]

    def missed(self, kind: type) -> tuple[Missed, ...]:
        """The files that should have given such a record."""
        self.all(kind)
        return self._missed[kind]

    def has_recognised_text(self) -> bool:
        """Whether any parser knows something in a text by its content, even if it then could not read it."""
        return any(isinstance(part, Part) or part.kind != "unrecognised" for part in self._loose)

    def gaps(self) -> tuple[Gap, ...]:
        """Texts that were there and not understood, over everything asked for so far."""
        unread = [missed.gap for kind in self._missed.values() for missed in kind if missed.gap.kind not in ("absent", "not-run")]
        return (*unread, *(part for part in self._loose if isinstance(part, Gap)))

    def _read(self, kind: type) -> None:
        found: list[Found[Any]] = []
        missed: list[Missed] = []
        for parser in parsers_by_record().get(kind, ()):
            for path in paths_of(parser, self._tree):
                result = read_one(parser, self._tree, path)
                if isinstance(result, Gap):
                    missed.append(Missed(kind, result))
                else:
                    found.append(result)
        found += [part.found for part in self._loose if isinstance(part, Part) and part.kind is kind]
        self._found[kind], self._missed[kind] = tuple(found), tuple(missed)


def paths_of(parser: Parser, tree: Tree) -> Iterator[str]:
    """The bundle paths of a parser's texts: the first reading, then later ones."""
    for reads in parser.reads:
        if isinstance(reads, Command):
            yield reads.path
        elif reads.startswith(_BUNDLE_FOLDERS):
            yield from tree.glob(reads)
        else:
            yield from tree.glob("root/" + reads)
            yield from tree.glob("again/[0-9]*/root/" + reads)


def read_one(parser: Parser, tree: Tree, path: str) -> Found[Any] | Gap:
    """One text parsed, or why not."""
    file = tree.get(path)
    if isinstance(file, Gap):
        return file
    return parse_file(parser, file)


def parse_file(parser: Parser, file: File) -> Found[Any] | Gap:
    """The record of a file; a ParseError becomes a gap that names the line."""
    try:
        again = _READING.match(file.path) if file.path.startswith("again/") else None
        return Found(parser.parse(file.text), file, int(again[1]) if again else 0)
    except ParseError as error:
        where = f"line {error.line + file.first_line - 1}: " if error.line else ""
        return Gap("unparsable", file.path, where + error.reason)


def _read_loose(tree: Tree) -> Iterator[Part | Gap]:
    """Pasted texts, and outputs in ``commands/`` whose name no parser knows, recognised by content."""
    known = {
        reads.path for group in parsers_by_record().values() for parser in group for reads in parser.reads if isinstance(reads, Command)
    }
    for path in tree.glob("pasted/*") + [path for path in tree.glob("commands/*.out") if path not in known]:
        file = tree.get(path)
        if isinstance(file, Gap):
            yield file
            continue
        if len(file.data) > LIMITS.member_bytes:
            yield Gap("unparsable", path, f"more than {LIMITS.member_bytes} bytes")
            continue
        from numaaudit.parse.pasted import recognise  # its expressions take time to compile, and most inputs have no such text

        yield from recognise(file, _recognisable(), strict=path.startswith("pasted/"))


@cache
def _recognisable() -> tuple[Parser, ...]:
    return tuple(parser for group in parsers_by_record().values() for parser in group if parser.looks_like)
