"""Write a comparison in the format asked for."""

import sys

from numaaudit.compare.diff import Comparison
from numaaudit.compare.snapshot import Snapshot
from numaaudit.report.compare_page import make_compare_page
from numaaudit.report.view import Input
from numaaudit.report.write import is_stdout, write_text


def write_comparison(form: str, output: str | None, made: Comparison, snapshots: tuple[Snapshot, ...], sources: tuple[Input, ...]) -> None:
    """Write it to standard output, or to a file as a whole; OSError if that cannot be written."""
    write_text(render_comparison(form, made, snapshots, sources, on_terminal=is_stdout(output) and sys.stdout.isatty()), output)


def render_comparison(
    form: str, made: Comparison, snapshots: tuple[Snapshot, ...], sources: tuple[Input, ...], on_terminal: bool = False
) -> str:
    """The comparison as one text."""
    if form == "json":
        from numaaudit.report.as_json import dump
        from numaaudit.report.compare_json import compare_document

        return dump(compare_document(made, snapshots, sources))
    page = make_compare_page(made, snapshots, sources)
    if form == "markdown":
        from numaaudit.report.compare_markdown import compare_markdown

        return compare_markdown(page)
    if form == "html":
        from numaaudit.report.compare_html import compare_html

        return compare_html(page)
    from numaaudit.report.compare_text import compare_lines
    from numaaudit.report.terminal import Style

    return "\n".join(compare_lines(page, Style.of_terminal() if on_terminal else Style.plain())) + "\n"
