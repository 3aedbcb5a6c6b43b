"""``--limit``: for one run, another limit on what an input may be (bundle/limits.py). And ``--version``."""

from contextvars import ContextVar
from typing import Annotated

import typer

from numaaudit import __version__
from numaaudit.bundle.limits import LIMITS, Limits
from numaaudit.core.errors import UsageError

limits: ContextVar[Limits] = ContextVar("limits", default=LIMITS)


def register(app: typer.Typer) -> None:
    app.callback()(choose)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"numaaudit {__version__}")
        raise typer.Exit


def choose(
    changes: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help=f"Another limit on inputs: {', '.join(Limits._fields)}.")
    ] = None,
    version: Annotated[  # noqa: ARG001  (its callback comes before the command is looked for)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Audit where GPU ranks, their threads and their memory sit against the NUMA nodes of a host."""
    limits.set(LIMITS._replace(**dict(map(_read, changes or ()))))


def _read(change: str) -> tuple[str, int]:
    name, _, number = change.partition("=")
    if name not in Limits._fields:
        raise UsageError(f"--limit {change}: no such limit", f"there are: {', '.join(Limits._fields)}")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise UsageError(f"--limit {change}: not a whole number")
    return name, int(number)
