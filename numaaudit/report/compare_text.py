"""A comparison for a terminal, a pipe or a file."""

from collections.abc import Iterator

from numaaudit.core.visible import one_line
from numaaudit.report.compare_page import ARROW, ComparePage, RowShown
from numaaudit.report.terminal import Style

_PAINT = {
    "equal": "pass", "better": "pass", "restored": "pass", "changed": "low", "undecidable": "unknown", "worse": "fail", "mixed": "fail",
    "partly-restored": "fail", "not-restored": "fail", "refused": "fail",
}  # fmt: skip


def compare_lines(page: ComparePage, style: Style) -> list[str]:
    """The lines, without newlines."""
    lines = [line for name, value in page.about for line in style.wrap(f"{name:<10}{one_line(value)}", "", " " * 10)]
    lines.append(f"{'verdict':<10}{style.paint(page.verdict.replace('-', ' ').upper(), _PAINT[page.verdict])}: {page.sentence}")
    for table in page.tables:
        lines += ["", table.title]
        lines += [line for row in table.rows for line in _row(row, style)]
    for title, texts in (("Restarts of processes", page.notes), ("Findings", page.findings), ("Not compared", page.unseen)):
        lines += ["", title] if texts else []
        lines += [line for text in texts for line in style.wrap(text, "  ", "  ")]
    return lines


def _row(row: RowShown, style: Style) -> Iterator[str]:
    state = "" if row.state == "changed" else f" [{row.state}]"
    yield from style.wrap(f"{row.subjects}: {row.aspect}{state}: {ARROW.join(row.cells)}", "  ", "  ")
