"""``numaaudit compare``: did the change help, and did the rollback restore the baseline."""

from typing import Annotated

import typer

from numaaudit.cli.baseline import read
from numaaudit.cli.check import FailOn, Format

# Nothing is worse · something is, or was not restored · refused · nobody can tell
EXIT_CODES = {
    **dict.fromkeys(("equal", "changed", "better", "restored"), 0),
    **dict.fromkeys(("worse", "mixed", "partly-restored", "not-restored"), 1),
    "refused": 4,
    "undecidable": 5,
}


def register(app: typer.Typer) -> None:
    app.command("compare")(compare)


def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="A bundle, a directory, or an earlier output of check or inspect in JSON.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The same, later.")],
    rollback: Annotated[str | None, typer.Argument(metavar="[ROLLBACK]", help="The same, after the change was taken back.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")] = None,
    fail_on: Annotated[FailOn, typer.Option(help="The least severe new finding that makes it worse.")] = FailOn.MEDIUM,
    across_hosts: Annotated[bool, typer.Option("--across-hosts", help="Compare two hosts of one hardware class on purpose.")] = False,
) -> None:
    """Compare placement before and after a change. With three, also after its rollback. By rank and GPU, never by PID.

    Bundles that were marked as different sides (collect --mark) are taken as these, in whatever order they are typed.

    Exit codes: 0 equal, changed, better or restored; 1 worse, mixed, partly or not restored; 2 wrong usage; 3 internal error;
    4 refused because the hardware differs, or unusable input; 5 the evidence does not tell.
    """
    from numaaudit.compare.diff import compare as compared
    from numaaudit.compare.sides import in_order
    from numaaudit.compare.snapshot import of_any_host
    from numaaudit.report.compare_write import write_comparison
    from numaaudit.rules.finding import Severity

    typed = [read(path) for path in (base, after, rollback) if path is not None]
    pairs = [typed[position] for position in in_order([snapshot.mark for snapshot, _ in typed])]
    snapshots = tuple(of_any_host(snapshot) if across_hosts else snapshot for snapshot, _ in pairs)
    made = compared(snapshots, Severity(fail_on.value))
    write_comparison(form.value, output, made, snapshots, tuple(source for _, source in pairs))
    raise typer.Exit(EXIT_CODES[made.verdict])
