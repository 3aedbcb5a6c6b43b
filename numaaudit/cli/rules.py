"""``numaaudit rules``: every rule in one line each."""

import typer


def register(app: typer.Typer) -> None:
    app.command("rules")(rules)


def rules() -> None:
    """List every rule: code, severity, gate, name, and what it says in one sentence."""
    from numaaudit.report.rule_text import rule_lines

    typer.echo("\n".join(rule_lines()))
