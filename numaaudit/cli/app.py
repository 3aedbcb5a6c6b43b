"""The command ``numaaudit``."""

import sys
from typing import Any, NoReturn

import typer

from numaaudit.cli import check, collect, compare, demo, explain, hardware_class, inspect, limits, policy, predict, report, rules, verify
from numaaudit.core.boundary import exit_code

app = typer.Typer(
    name="numaaudit",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (limits, collect, check, report, compare, inspect, predict, hardware_class, verify, explain, rules, policy, demo):
    _module.register(app)


def main() -> NoReturn:
    """Run the command line; never returns."""
    sys.exit(exit_code(_run))


# Typer carries its own copy of Click from some version on and exports only the ends of the family.
_WRONG_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _run() -> int:
    try:
        return int(app(standalone_mode=False) or 0)
    except typer.Exit as ended:
        return int(ended.exit_code)
    except typer.Abort:
        return 130
    except _WRONG_USAGE as wrong:
        wrong.show()
        return 2
