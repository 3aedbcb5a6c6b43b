"""``numaaudit rules``: every rule in one line each."""

import sys

import typer

from numaaudit.cli.settings import Plugins


def register(app: typer.Typer) -> None:
    app.command("rules")(rules)


def rules(plugins: Plugins = None) -> None:
    """List every rule in one line. That is its code, severity, gate, name, and what it says in one sentence."""
    from numaaudit.report.reflow import terminal_width, wrapped
    from numaaudit.report.rule_text import rule_lines
    from numaaudit.rules.settings import all_rules

    lines = rule_lines(all_rules(tuple(plugins or ())))
    if sys.stdout.isatty():
        lines = [part for line in lines for part in wrapped(line, terminal_width(), " " * 7)]
    typer.echo("\n".join(lines))
