"""``numaaudit policy``: write a policy file to start from, and read one."""

from typing import Annotated

import typer

from numaaudit.cli.settings import Plugins, chosen

app = typer.Typer(help="Write a policy file to start from, or check one.", no_args_is_help=True, rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="policy")


@app.command("init")
def init(
    path: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A new file. Nothing, or -: standard output.")] = None,
    plugins: Plugins = None,
) -> None:
    """Write a policy to start from. It has every rule and threshold, all commented out, and changes nothing as it stands."""
    from numaaudit.report.policy_text import commented_policy
    from numaaudit.rules.settings import all_rules

    text = commented_policy(all_rules(tuple(plugins or ())))
    if path is None or path == "-":
        typer.echo(text, nl=False)
        return
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


@app.command("check")
def check(path: Annotated[str, typer.Argument(metavar="FILE", help="A policy file.")], plugins: Plugins = None) -> None:
    """Read a policy and say what it changes. Exits 2 with the line where it is wrong."""
    from numaaudit.report.policy_text import policy_lines

    typer.echo("\n".join(policy_lines(chosen(path, plugins))))
