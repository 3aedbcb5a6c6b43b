"""``numaaudit explain``: a rule's page, and why it did or did not fire; or a page that is about no single rule."""

import sys
from typing import Annotated

import typer

from numaaudit.cli.baseline import ClassFile, of_class
from numaaudit.cli.settings import Plugins, PolicyFile, chosen
from numaaudit.cli.source import load


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    code: Annotated[str, typer.Argument(metavar="RULE", help="A code such as NA201, a rule's name, what-is-kept or figures.")],
    path: Annotated[str | None, typer.Argument(metavar="[INPUT]", help="Evidence to apply it to.")] = None,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Which host, where the input has several.")] = None,
    policy: PolicyFile = None,
    plugins: Plugins = None,
    class_file: ClassFile = None,
) -> None:
    """Print a rule's page, and why it fires or not. The latter with evidence, for each subject.

    what-is-kept: what a bundle holds. figures: the thresholds of all rules, and what other people's numbers are worth.
    """
    from numaaudit.collect import what_is_kept
    from numaaudit.report.rule_text import page_of, page_text, why_lines
    from numaaudit.rules import figures

    pages = {what_is_kept.NAME: what_is_kept.page, figures.NAME: figures.page}
    if code in pages:
        typer.echo(_shown(pages[code]().rstrip()))
        return
    loaded = page_of(code, chosen(policy, plugins))
    typer.echo(_shown(page_text(loaded)))
    if path is not None:
        evidence = of_class(load(path, host).host, class_file)
        typer.echo("\n".join(["", f"## In {path}", "", *why_lines(loaded, evidence)]))


def _shown(page: str) -> str:
    """As wide as the terminal; in a pipe as it is."""
    from numaaudit.report.reflow import reflow, terminal_width

    return reflow(page, terminal_width()) if sys.stdout.isatty() else page
