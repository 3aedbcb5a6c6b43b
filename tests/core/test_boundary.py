"""Errors become exit codes and one line; a bug becomes a file."""

import os
import stat
from pathlib import Path

import pytest

from numaaudit.core.boundary import exit_code
from numaaudit.core.errors import CollectError, UsageError


def raising(error: BaseException):
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (UsageError("--deadline 0: not above 0"), 2, "numaaudit: --deadline 0: not above 0\n"),
        (CollectError("a\nb: \x1b[31m", "try c"), 4, "numaaudit: a b: \\x1b[31m\n  try c\n"),
        (FileNotFoundError(2, "No such file or directory", "x"), 4, "numaaudit: x: No such file or directory\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_error_is_its_exit_code_and_one_line(capsys, error, code, shown):
    assert (code, shown) == (exit_code(raising(error)), capsys.readouterr().err)


def test_what_a_command_answers_is_the_exit_code():
    assert [0, 1, 130] == [exit_code(lambda code=code: code) for code in (0, 1, 130)]


def test_a_bug_is_a_file_that_only_its_owner_can_read(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    code = exit_code(raising(ZeroDivisionError("by us")))

    [path] = tmp_path.iterdir()
    assert (3, f"numaaudit: this is a bug of numaaudit; its traceback is in {path}\n") == (code, capsys.readouterr().err)
    assert 0o600 == stat.S_IMODE(os.stat(path).st_mode)
    assert Path(path).read_text().endswith("ZeroDivisionError: by us\n")
