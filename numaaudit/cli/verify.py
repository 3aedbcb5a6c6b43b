"""``numaaudit verify``: is a bundle as it was written."""

from typing import Annotated

import typer

from numaaudit.cli.limits import limits


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(path: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle that numaaudit collected.")]) -> None:
    """Compare every member with the manifest: intact (unsigned), damaged: MEMBER, or not in the manifest: MEMBER.

    Exit codes: 0 intact, 1 not, 4 no bundle at all.
    """
    from numaaudit.bundle.verify import verify_bundle

    result = verify_bundle(path, limits.get())
    typer.echo("\n".join(result.lines))
    raise typer.Exit(0 if result.intact else 1)
