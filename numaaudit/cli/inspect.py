"""``numaaudit inspect``: the model."""

from enum import Enum
from typing import Annotated

import typer

from numaaudit.cli.source import read


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("inspect")(inspect)


def inspect(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="A bundle, a directory, a text, or - for standard input. Nothing: this host now."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Which host, where the input has several.")] = None,
) -> None:
    """Show the host as the evidence has it. That is packages, NUMA nodes, devices, processes, and what is not known."""
    loaded = read(path, host)
    if form is Format.JSON:
        from numaaudit.report.as_json import dump
        from numaaudit.report.host_json import host_document

        typer.echo(dump(host_document(loaded.host)), nl=False)
        return
    from numaaudit.report.host_text import host_lines

    typer.echo("\n".join(host_lines(loaded.host)))
