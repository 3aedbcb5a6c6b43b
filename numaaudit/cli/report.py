"""``numaaudit report``: the verdict as a page for the ticket."""

from enum import Enum
from typing import Annotated

import typer

from numaaudit.cli.settings import Plugins, PolicyFile, chosen, judged_by
from numaaudit.cli.source import load


class Format(str, Enum):
    HTML = "html"
    MARKDOWN = "markdown"


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="A bundle, a directory, a text, or - for standard input. Nothing: this host now."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.HTML,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also list what passed and what does not apply.")] = False,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Which host, where the input has several.")] = None,
    policy: PolicyFile = None,
    plugins: Plugins = None,
) -> None:
    """Write the verdict as one file to attach to a ticket. It is self-contained. Exits 0 whatever the verdict is."""
    from numaaudit.report.write import Writer, write_report
    from numaaudit.rules.engine import audit

    by = chosen(policy, plugins)
    loaded = load(path, host)
    result = audit(loaded.host, rules=by.rules, waivers=by.waivers)
    write_report(Writer(form.value, output, everything), result, loaded.host, judged_by(loaded.source, by))
