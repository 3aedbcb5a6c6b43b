"""The report for a terminal, a pipe or a file."""

import os
import shutil
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.visible import one_line
from numaaudit.report.blocks import Block
from numaaudit.report.page import Page

_COLOURS = {
    "critical": "1;31",
    "high": "1;31",
    "medium": "1;33",
    "low": "36",
    "info": "2",
    "fail": "1;31",
    "unknown": "1;33",
    "pass": "32",
    "dim": "2",
}
MOST_COMMANDS = 4


class Style(NamedTuple):
    """How wide and whether in colour. ``cut``: evidence is shortened to the width."""

    width: int
    colour: bool
    cut: bool

    @classmethod
    def plain(cls) -> "Style":
        """For pipes and files: no colour, evidence whole."""
        return cls(100, False, False)

    @classmethod
    def of_terminal(cls) -> "Style":
        """For the terminal at hand; NO_COLOR (no-color.org) is honoured, and a dumb terminal (terminfo(5)) has no colours."""
        colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "")
        return cls(max(40, min(shutil.get_terminal_size().columns, 140)), colour, True)

    def paint(self, text: str, name: str) -> str:
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour and name in _COLOURS else text

    def wrap(self, text: str, indent: str, hanging: str = "") -> list[str]:
        return textwrap.wrap(
            one_line(text),
            self.width,
            initial_indent=indent,
            subsequent_indent=indent + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def shorten(self, line: str) -> str:
        return line if not self.cut or len(line) <= self.width else line[: self.width - 1] + "…"


def page_lines(page: Page, style: Style) -> list[str]:
    """The lines of the report, without newlines."""
    lines = list(_head(page, style))
    for block in page.blocks:
        lines += ["", *_block(block, style)]
    if page.unknowns:
        lines += ["", style.paint("UNKNOWN", "unknown")]
    for unknown in page.unknowns:
        lines += style.wrap(unknown.sentence, "  ", "  ")
    if page.settling:
        lines += ["", "To settle this, paste also:", *(f"    $ {one_line(command)}" for command in page.settling)]
    lines += [f"error: {one_line(error)}" for error in page.errors]
    lines += ["", style.paint("WHO TOOK THE CPUS", "unknown"), *(style.shorten(f"  {line}") for line in page.cuts)] if page.cuts else []
    lines += ["", *(line for waived in page.waived for line in style.wrap(waived, "", "  "))] if page.waived else []
    lines += ["", *(one_line(other) for other in page.others)] if page.others else []
    return [*lines, "", *style.wrap(page.coverage, ""), page.last_line]


def _head(page: Page, style: Style) -> Iterator[str]:
    for name, value in page.about:
        yield f"{name:<10}{one_line(value)}"
    yield f"{'gates':<10}{' · '.join(f'{gate} {style.paint(state, state)}' for gate, state in page.gates)}"
    yield f"{'verdict':<10}{style.paint(page.verdict.upper(), page.verdict)}"


def _block(block: Block, style: Style) -> Iterator[str]:
    certain = "" if block.confidence == "certain" else f"  ({block.confidence})"
    yield f"{style.paint(block.severity.upper(), block.severity)}  {block.name} ({block.code})  {one_line(block.subjects)}{certain}"
    for sentence in block.sentences:
        yield from style.wrap(sentence, "  ", "  ")
    if block.num_more:
        yield f"  … and {block.num_more} more, all named above"
    for evidence in block.evidence:
        where = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
        yield style.paint(style.shorten(f"    {one_line(where)}: {one_line(evidence.text)}"), "dim")
    if len(block.sentences) > 1 and block.evidence:
        yield style.paint(f"    (of {one_line(block.evidence_of)}; the others': numaaudit explain {block.code} INPUT)", "dim")
    for fix in block.fixes:
        yield from style.wrap(f"fix: {fix}", "  ", "     ")
    for command in block.commands[:MOST_COMMANDS]:
        yield f"    $ {one_line(command)}"
    if len(block.commands) > MOST_COMMANDS:
        yield f"    … and {len(block.commands) - MOST_COMMANDS} more: --format markdown lists all"
    for consequence in block.consequences:
        yield from style.wrap(f"also: {consequence}", "  ", "    ")
    if block.thresholds:
        yield from (style.paint(line, "dim") for line in style.wrap(f"thresholds: {block.thresholds}", "  ", "    "))
