"""``numaaudit verify``: is a bundle as it was written, and who vouches for it."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from numaaudit.cli.limits import limits
from numaaudit.cli.source import standard_input

if TYPE_CHECKING:
    from numaaudit.bundle.verify import Verification


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(
    path: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle that numaaudit collected, or - for standard input.")],
    allowed_signers: Annotated[
        str | None, typer.Option(metavar="FILE", help="Who may have signed it: ALLOWED SIGNERS of ssh-keygen(1), which must be there.")
    ] = None,
) -> None:
    """Compare every member with the manifest. Also the manifest with its signature.

    Prints verified (signed by NAME), intact (unsigned), intact (signature not checked: ...), not verified: REASON, damaged: MEMBER,
    missing: MEMBER, or not in the manifest: MEMBER.

    Exit codes: 0 intact, and with --allowed-signers signed by one of them; 1 not; 4 no bundle at all.
    """
    from numaaudit.bundle.verify import verify_bundle

    result = verify_bundle(path, limits.get(), standard_input(path))
    if allowed_signers is not None and result.intact:
        line, code = _signed(result, allowed_signers)
        typer.echo(line)
        raise typer.Exit(code)
    typer.echo("\n".join(result.lines))
    raise typer.Exit(0 if result.intact and allowed_signers is None else 1)


def _signed(result: "Verification", allowed_signers: str) -> tuple[str, int]:
    if not result.signature:
        return "not verified: it is not signed (its members are intact)", 1
    from numaaudit.collect.signing import who_signed
    from numaaudit.core.errors import shown

    signed = who_signed(result.manifest, result.signature, allowed_signers, os.environ.get("PATH", os.defpath))
    return (f"verified (signed by {shown(signed.name)})", 0) if signed.name else (f"not verified: {signed.objection}", 1)
