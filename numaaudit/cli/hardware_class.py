"""``numaaudit class``: what hosts of one kind share, as a file that ``check --class`` judges others by."""

from typing import TYPE_CHECKING, Annotated

import typer

from numaaudit.cli.source import load

if TYPE_CHECKING:
    from numaaudit.model.hardware_class import HardwareClass

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Hardware classes: what hosts of one kind share.")


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="class")


@group.command("create")
def create(
    path: Annotated[str, typer.Argument(metavar="BUNDLE", help="Evidence of a host that is as it should be.")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")] = None,
) -> None:
    """Write the slots, NUMA nodes, links and settings of a host as YAML. It holds no mask of any process."""
    from numaaudit.compare.hardware_class import to_yaml
    from numaaudit.report.write import write_text

    write_text(to_yaml(_class_in(path)), output)


@group.command("diff")
def diff(
    one: Annotated[str, typer.Argument(metavar="ONE", help="A class file, or evidence.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="A class file, or evidence.")],
) -> None:
    """Say in what two classes differ.

    Exit codes: 0 in nothing, 1 in something, 4 unusable input, 5 in nothing that is known, but not everything is.
    """
    from numaaudit.model.hardware_class import differences
    from numaaudit.report.class_text import difference_lines

    found = tuple(differences(_class_in(one), _class_in(other)))
    for line in difference_lines(found):
        typer.echo(line)
    raise typer.Exit(1 if any(each.kind != "unknown" for each in found) else 5 if found else 0)


def _class_in(path: str) -> "HardwareClass":
    from numaaudit.compare.hardware_class import is_class_file, read_class
    from numaaudit.model.sections.hardware import Hardware

    return read_class(path) if is_class_file(path) else load(path).host.section(Hardware).found
