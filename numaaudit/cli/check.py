"""``numaaudit check``: the verdict."""

import sys
from enum import Enum
from typing import Annotated

import typer

from numaaudit.cli.baseline import ClassFile, new_failures, of_class
from numaaudit.cli.settings import Plugins, PolicyFile, chosen, judged_by
from numaaudit.cli.source import load


class Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"
    JUNIT = "junit"


class FailOn(str, Enum):
    """Severities, spelled here so that ``--help`` needs no rule engine."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


def register(app: typer.Typer) -> None:
    app.command("check")(check)


def check(  # noqa: PLR0917  (a parameter is an option)
    path: Annotated[
        str | None,
        typer.Argument(metavar="[INPUT]", help="A bundle, a directory, a text, or - for standard input. Nothing: this host now."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")] = None,
    fail_on: Annotated[FailOn, typer.Option(help="The least severe finding that makes the exit code 1.")] = FailOn.MEDIUM,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 5 where nothing fails but the verdict is unknown.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also list what passed and what does not apply.")] = False,
    host: Annotated[str | None, typer.Option(metavar="NAME", help="Which host, where the input has several.")] = None,
    policy: PolicyFile = None,
    plugins: Plugins = None,
    baseline: Annotated[str | None, typer.Option(metavar="FILE", help="Fail only on what did not fail there: JSON or a bundle.")] = None,
    class_file: ClassFile = None,
) -> None:
    """Say what is wrong, for which rank, and prove it line by line.

    Exit codes: 0 nothing at or above --fail-on, 1 something is, 2 wrong usage, 3 internal error, 4 unusable input,
    5 with --strict: nothing fails but the verdict is unknown, or with --class: nobody can tell if it is of that class,
    130 interrupted.
    """
    from numaaudit.report.write import Writer, write_report
    from numaaudit.rules.engine import audit
    from numaaudit.rules.finding import Gate, Severity

    by = chosen(policy, plugins)
    loaded = load(path, host)
    result = audit(of_class(loaded.host, class_file), Severity(fail_on.value), by.rules, by.waivers)
    failing = result.failing(Severity(fail_on.value))
    failing = failing if baseline is None else new_failures(failing, baseline)
    for trace in result.crashes:
        print(trace, file=sys.stderr)
    writer = Writer(form.value, output, everything, frozenset(finding.id for finding in failing))
    write_report(writer, result, loaded.host, judged_by(loaded.source, by))
    unknown = (strict and result.verdict == "unknown") or (class_file is not None and result.gates[Gate.IDENTITY] == "unknown")
    raise typer.Exit(exit_code(bool(result.crashes), bool(failing), unknown))


def exit_code(crashed: bool, failing: bool, unknown: bool) -> int:
    """The exit code of ``check``."""
    if crashed:
        return 3
    if failing:
        return 1
    return 5 if unknown else 0
