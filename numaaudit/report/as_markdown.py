"""The report as Markdown that GitHub, GitLab and Jira show alike: headings, lists, one table, code spans and fences.

Foreign text is only ever inside a code span or a fence longer than any run of backticks in it, so that no link, image, HTML
or @mention can come out of it.
"""

import re
from collections.abc import Iterator

from numaaudit.core.visible import one_line
from numaaudit.report.blocks import Block
from numaaudit.report.page import Page

_MARKUP = re.compile(r"[@<>\[\]*_`#|~!\\&$]|://")
_FOREIGN = re.compile(r"[^A-Za-z0-9.,;:'()%/·–-]|\bwww\.")


def markdown(page: Page) -> str:
    """The whole document."""
    return "\n".join(_lines(page)) + "\n"


def span(text: str) -> str:
    """A code span that holds any text on one line."""
    text = one_line(text).replace("|", "¦")  # a bar ends a table cell even inside a span
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text or ' '}{pad}{ticks}"


def fence(lines: list[str]) -> list[str]:
    """A code block that holds any lines."""
    body = [one_line(line) for line in lines]
    ticks = "`" * max(3, 1 + max((len(run) for line in body for run in re.findall("`+", line)), default=0))
    return [f"{ticks}text", *body, ticks]


def prose(text: str) -> str:
    """A sentence of a rule: its words stay words, everything that could be markup becomes a code span."""
    return re.sub("[^ ]+", lambda match: _word(match[0]), one_line(text))


def _word(word: str) -> str:
    """A name of 64 KiB is one word too, so each expression looks at a character once."""
    if _MARKUP.search(word):
        return span(word)
    foreign = _FOREIGN.search(word)
    return word[: foreign.start()] + span(word[foreign.start() :]) if foreign else word


def _lines(page: Page) -> Iterator[str]:
    yield f"## numaaudit: {page.verdict}"
    yield ""
    for name, value in page.about:
        yield f"- {name}: {span(value)}"
    yield f"- gates: {', '.join(f'{gate} **{state}**' for gate, state in page.gates)}"
    for block in page.blocks:
        yield ""
        yield from _block(block)
    if page.unknowns:
        yield ""
        yield "### Unknown"
        yield ""
        for unknown in page.unknowns:
            yield f"- {prose(unknown.sentence)}"
    if page.settling:
        yield ""
        yield "To settle this, paste also:"
        yield ""
        yield from fence(list(page.settling))
    yield from (f"- error: {prose(error)}" for error in page.errors)
    if page.cuts:
        yield ""
        yield "### Who took the CPUs"
        yield ""
        yield from fence(list(page.cuts))
    if page.waived:
        yield ""
        yield "### Waived"
        yield ""
        yield from (f"- {prose(waived)}" for waived in page.waived)
    yield from _ranks(page)
    if page.others:
        yield ""
        yield from (f"- {prose(other)}" for other in page.others)
    yield ""
    yield prose(page.coverage)
    yield ""
    yield f"**{page.last_line}**"


def _block(block: Block) -> Iterator[str]:
    certain = "" if block.confidence == "certain" else f" ({block.confidence})"
    yield f"### {block.severity.upper()}: {block.name} ({block.code}){certain}"
    yield ""
    for sentence in block.sentences:
        yield f"- {prose(sentence)}"
    if block.num_more:
        yield f"- and {block.num_more} more: {span(block.subjects)}"
    if block.evidence:
        yield ""
        yield f"Evidence for {span(block.evidence_of)}:"
        yield ""
        yield from fence([f"{each.path}{f':{each.line}' if each.line else ''}: {each.text}" for each in block.evidence])
    yield ""
    if len(block.fixes) == 1:
        yield f"Fix: {prose(block.fixes[0])}"
    elif block.fixes:
        yield "Fix:"
        yield ""
        yield from (f"- {prose(fix)}" for fix in block.fixes)
    if block.commands:
        yield ""
        yield from fence(list(block.commands))
    if block.consequences:
        yield ""
        yield "Also, for the same cause:"
        yield ""
        yield from (f"- {prose(consequence)}" for consequence in block.consequences)
    if block.thresholds:
        yield ""
        yield f"Thresholds: {span(block.thresholds)}"


def _ranks(page: Page) -> Iterator[str]:
    if not page.ranks:
        return
    yield ""
    yield "### Ranks"
    yield ""
    yield "| rank | pid | GPU | GPU on NUMA node | CPUs | on NUMA nodes | memory |"
    yield "|---|---|---|---|---|---|---|"
    for row in page.ranks:
        yield f"| {' | '.join(span(cell) for cell in row)} |"
