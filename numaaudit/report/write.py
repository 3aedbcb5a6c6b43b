"""Write a report in the format asked for, to a file or to standard output."""

import os
import sys
from typing import NamedTuple

from numaaudit.model.host import Host
from numaaudit.report.page import make_page
from numaaudit.report.view import Input
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Outcome

_TO_DO = frozenset({Outcome.FAIL, Outcome.UNKNOWN, Outcome.ERROR})


class Writer(NamedTuple):
    """``form``: text, json, markdown, html, sarif or junit; ``output`` None or ``-``: standard output; ``everything``: also what passed
    or does not apply; ``failing``: the ids of the findings that make the exit code 1."""

    form: str
    output: str | None
    everything: bool = False
    failing: frozenset[str] = frozenset()


def write_report(writer: Writer, audit: Audit, host: Host, source: Input) -> None:
    """Write it. A file is replaced as a whole or not at all; OSError if it cannot be written."""
    outcomes = frozenset(Outcome) if writer.everything else _TO_DO
    if writer.form == "junit":
        from numaaudit.report.as_junit import junit

        text = junit(audit, writer.failing)
    else:
        text = render(writer.form, audit, host, source, outcomes, on_terminal=is_stdout(writer.output) and sys.stdout.isatty())
    write_text(text, writer.output)


def is_stdout(output: str | None) -> bool:
    """Whether what ``-o`` names, if it was typed, is standard output."""
    return output in (None, "-")


def write_text(text: str, output: str | None) -> None:
    """To standard output, or to a file as a whole; OSError if that cannot be written."""
    if output is None or is_stdout(output):
        sys.stdout.write(text)
        return
    try:
        write_file(output, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise OSError(error.errno, error.strerror, output) from None


def write_file(path: str, data: bytes) -> None:
    """Replace a file, the one behind a link too, as a whole or not at all; write into what is none (/dev/null, a FIFO)."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            device.write(data)
        return
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:40]}.{os.getpid()}.part")
    file = open(temporary, "xb")  # noqa: SIM115  (x: what is there already, even a link, is not ours)
    try:
        with file:
            file.write(data)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def render(form: str, audit: Audit, host: Host, source: Input, outcomes: frozenset[Outcome], on_terminal: bool = False) -> str:
    """The report as one text."""
    if form in ("json", "sarif"):
        from numaaudit.report.as_json import dump, report_document
        from numaaudit.report.as_sarif import sarif_document

        return dump(sarif_document(audit, source, outcomes) if form == "sarif" else report_document(audit, host, source, outcomes))
    page = make_page(audit, host, source, outcomes)
    if form == "markdown":
        from numaaudit.report.as_markdown import markdown

        return markdown(page)
    if form == "html":
        from numaaudit.report.as_html import html

        return html(page)
    from numaaudit.report.terminal import Style, page_lines

    return "\n".join(page_lines(page, Style.of_terminal() if on_terminal else Style.plain())) + "\n"
