"""``numaaudit predict``: what a launcher would do on this host."""

import sys
from enum import Enum
from typing import Annotated

import typer

from numaaudit.cli.source import load


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("predict")(predict)


def predict(
    path: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="A bundle, a directory, a text, or - for standard input. Nothing: this host now."),
    ] = None,
    launcher: Annotated[str, typer.Option(metavar="NAME", help="Which launcher; a wrong name lists them. all: every one.")] = "all",
    ranks: Annotated[int | None, typer.Option(min=1, help="Ranks on the host. By default one for each visible GPU.")] = None,
    gpus: Annotated[str | None, typer.Option(metavar="LIST", help="The GPUs that the job's container exposes, such as 0-3.")] = None,
    visible_devices: Annotated[
        str | None, typer.Option(metavar="LIST", help="CUDA_VISIBLE_DEVICES or its like, as the job has it.")
    ] = None,
    options: Annotated[list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="An option of the launcher.")] = None,
    what_if: Annotated[str | None, typer.Option(metavar="SETS", help="A cpuset that is not there, such as cpuset=0-15,mems=0.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print; of several launchers JSON lines.")] = Format.TEXT,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Which host, where the input has several.")] = None,
) -> None:
    """Predict what a launcher would do on this host.

    For each rank the CPUs and the memory policy that it would get, before the job is started.

    Exit codes: 0 predicted, whatever it is; 2 wrong usage, 4 unusable input.
    """
    from numaaudit.launchers.request import Typed, forecasts

    loaded = load(path, host)
    found = forecasts(loaded.host, Typed(launcher, ranks, gpus, visible_devices, tuple(options or ()), what_if))
    if form is Format.JSON:
        from numaaudit.report.predict_json import one_line_of, predict_document

        typer.echo("\n".join(one_line_of(predict_document(each)) for each in found))
        return
    from numaaudit.report.predict_text import forecast_lines
    from numaaudit.report.terminal import Style

    typer.echo("\n".join(forecast_lines(found, Style.of_terminal() if sys.stdout.isatty() else Style.plain())))
