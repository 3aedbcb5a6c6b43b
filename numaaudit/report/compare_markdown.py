"""A comparison as Markdown: foreign text is only ever inside a code span."""

from collections.abc import Iterator

from numaaudit.report.as_markdown import prose, span
from numaaudit.report.compare_page import ComparePage, Table


def compare_markdown(page: ComparePage) -> str:
    """The whole document."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: ComparePage) -> Iterator[str]:
    yield f"## numaaudit compare: {page.verdict.replace('-', ' ')}"
    yield ""
    yield f"{page.sentence[0].upper()}{page.sentence[1:]}."
    yield ""
    for name, value in page.about:
        yield f"- {name}: {span(value)}"
    for table in page.tables:
        yield ""
        yield from _table(table, page)
    for title, texts in (("Restarts of processes", page.notes), ("Findings", page.findings), ("Not compared", page.unseen)):
        if texts:
            yield from ("", f"### {title}", "")
            yield from (f"- {prose(text)}" for text in texts)


def _table(table: Table, page: ComparePage) -> Iterator[str]:
    yield from (f"### {table.title}", "", f"| subject | aspect | {' | '.join(page.columns)} | |", "|---" * (len(page.columns) + 3) + "|")
    for row in table.rows:
        state = "" if row.state == "changed" else row.state
        yield f"| {' | '.join(span(text) for text in (row.subjects, row.aspect, *row.cells))} | {state} |"
