"""The options that say which rules are in force, for every command that judges."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from numaaudit.report.view import Input
    from numaaudit.rules.settings import Policy

PolicyFile = Annotated[str | None, typer.Option("--policy", metavar="FILE", help="Severities, thresholds, waivers: see policy init.")]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", metavar="NAME", help="Also the rules of this installed plug-in.")]


def chosen(policy: str | None, plugins: list[str] | None) -> "Policy":
    """The rules in force. UsageError where the file or a plug-in cannot be used."""
    if policy is None:
        from numaaudit.rules.settings import default_policy

        return default_policy(tuple(plugins or ()))
    from numaaudit.rules.policy import read_policy

    return read_policy(policy, tuple(plugins or ()))


def judged_by(source: "Input", policy: "Policy") -> "Input":
    """The input with the name of what judges it."""
    return source._replace(policy=policy.path, profile=policy.profile, plugins=policy.plugins)
