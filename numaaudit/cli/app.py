"""The command ``numaaudit``, and the one place where errors become exit codes."""

import os
import sys
from typing import Any, NoReturn

import typer

from numaaudit.cli import check, collect, compare, demo, explain, hardware_class, inspect, policy, predict, report, rules, verify
from numaaudit.core.errors import NumaAuditError

app = typer.Typer(
    name="numaaudit",
    help="Audit where GPU ranks, their threads and their memory sit against the NUMA nodes of a host.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (collect, check, report, compare, inspect, predict, hardware_class, verify, explain, rules, policy, demo):
    _module.register(app)


def main() -> NoReturn:
    """Run the command line; never returns."""
    sys.exit(_run())


# Typer carries its own copy of Click from some version on and exports only the ends of the family.
_WRONG_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _run() -> int:
    try:
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
        # The reader went away: nothing is left to say, also not when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _say(f"{error.filename or 'output'}: {error.strerror}", "")
        return 4
    except Exception:  # noqa: BLE001 - the last boundary: a bug becomes a file and exit code 3
        return _crashed()


def _say(message: str, hint: str) -> None:
    from numaaudit.report.visible import one_line

    print(f"numaaudit: {one_line(message)}", file=sys.stderr)
    if hint:
        print(f"  {one_line(hint)}", file=sys.stderr)


def _crashed() -> int:
    """Keep the traceback in a file only its owner can read (mkstemp), and name it."""
    import tempfile
    import traceback

    fd, path = tempfile.mkstemp(prefix="numaaudit-crash-", suffix=".txt")
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(traceback.format_exc())
    print(f"numaaudit: this is a bug of numaaudit; its traceback is in {path}", file=sys.stderr)
    return 3
