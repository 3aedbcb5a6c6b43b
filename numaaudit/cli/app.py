"""The command ``numaaudit``, and the one place where errors become exit codes."""

import os
import sys
from typing import Any, NoReturn

import typer

from numaaudit.cli import check, collect, compare, demo, explain, hardware_class, inspect, limits, policy, predict, report, rules, verify
from numaaudit.cli.streams import prepare, to_nowhere
from numaaudit.core.errors import NumaAuditError

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
    sys.exit(_run())


# Typer carries its own copy of Click from some version on and exports only the ends of the family.
_WRONG_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _run() -> int:
    try:
        prepare()
        code = app(standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except typer.Exit as ended:
        return int(ended.exit_code)
    except _WRONG_USAGE as wrong:
        wrong.show()
        return 2
    except NumaAuditError as error:
        _say(str(error), error.hint)
        return error.code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        return 0
    except OSError as error:
        _say(f"{error.filename or 'output'}: {error.strerror}", "")
        return 4
    except Exception:  # noqa: BLE001 - the last boundary: a bug becomes a file and exit code 3
        return _crashed()


def _say(message: str, hint: str) -> None:
    from numaaudit.core.visible import one_line

    lines = [f"numaaudit: {one_line(message)}", *([f"  {one_line(hint)}"] if hint else [])]
    try:
        print("\n".join(lines), file=sys.stderr)
    except OSError:
        to_nowhere(sys.stderr)


def _crashed() -> int:
    """Keep the traceback in a file only its owner can read (mkstemp), and name it."""
    import tempfile
    import traceback

    trace = traceback.format_exc()
    try:
        fd, path = tempfile.mkstemp(prefix="numaaudit-crash-", suffix=".txt")
        with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(trace)
        _say(f"this is a bug of numaaudit; its traceback is in {path}", "")
    except OSError as error:
        _say(f"this is a bug of numaaudit: {trace.splitlines()[-1]}", f"its traceback cannot be written: {error.strerror}")
    return 3
