"""The command ``numaaudit``, and the one place where errors become exit codes."""

import os
import sys
import tempfile
import traceback
from typing import NoReturn

import click
import typer

from numaaudit.cli import check, collect, inspect, verify
from numaaudit.core.errors import NumaAuditError

app = typer.Typer(
    name="numaaudit", help="Audit where GPU ranks, their threads and their memory sit against the NUMA nodes of a host.",
    rich_markup_mode=None, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
for _module in (collect, check, inspect, verify):
    _module.register(app)


def main() -> NoReturn:
    """Run the command line; never returns."""
    sys.exit(_run())


def _run() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Exit as ended:
        return int(ended.exit_code)
    except click.ClickException as wrong:
        wrong.show()
        return wrong.exit_code
    except NumaAuditError as error:
        print(f"numaaudit: {error}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return error.code
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        # The reader went away: nothing is left to say, also not when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        return _crashed(traceback.format_exc())


def _crashed(trace: str) -> int:
    """Keep the traceback in a file only its owner can read (mkstemp), and name it."""
    fd, path = tempfile.mkstemp(prefix="numaaudit-crash-", suffix=".txt")
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(trace)
    print(f"numaaudit: this is a bug of numaaudit; its traceback is in {path}", file=sys.stderr)
    return 3
