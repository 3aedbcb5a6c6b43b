"""Closed, full and ASCII-only standard streams: the documented exit code, never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from numaaudit import __version__

SAMPLES = Path(__file__).parents[2] / "sample_bundles"
HEALTHY = SAMPLES / "healthy-4-4.tar.gz"


def shell(command, **environment):
    """Run ``$0 COMMAND $1`` in a shell, with numaaudit and a sample."""
    return subprocess.run(
        ["sh", "-c", f"$0 -m numaaudit {command}", sys.executable, str(HEALTHY)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check $1 >&-", 0),
        ("check $1 2>&-", 0),
        ("check - <&-", 4),
        ("check /none 2>&-", 4),
        ("check /none 2>/dev/full", 4),
        ("check $1 >/dev/full", 4),
        ("collect --host-only -o $1 <&- >&- 2>&-", 4),
    ],
)
def test_exit_code(command, code):
    ended = shell(command)

    assert (code, False) == (ended.returncode, b"Traceback" in ended.stderr or b"bug" in ended.stderr)


@pytest.mark.parametrize("form", ("text", "json", "markdown", "html"))
def test_the_bytes_do_not_depend_on_the_locale(form):
    utf8, ascii_only = (shell(f"check --format {form} $1", PYTHONIOENCODING=name) for name in ("utf-8", "ascii"))

    assert (0, utf8.stdout) == (ascii_only.returncode, ascii_only.stdout)


@pytest.mark.parametrize("command", ("check", "check --format json", "inspect", "inspect --format json", "report", "verify"))
def test_names_that_are_no_unicode_are_escaped(tmp_path, command):
    strange = tmp_path / os.fsdecode(b"b\xff.tar.gz")
    strange.symlink_to(HEALTHY)
    ended = shell(f"{command} {tmp_path}/*.tar.gz", PYTHONIOENCODING="utf-8:strict")

    assert (0, b"") == (ended.returncode, ended.stderr)
    if "json" in command:
        assert json.loads(ended.stdout)


@pytest.mark.parametrize("command", ("check $1", "report $1", "class create $1", "compare $1 $1"))
def test_a_dash_is_standard_output(tmp_path, command):
    ended = shell(f"{command} -o -")

    assert (0, shell(command).stdout, b"") == (ended.returncode, ended.stdout, ended.stderr)


def test_a_policy_goes_to_standard_output_for_a_dash():
    assert shell("policy init").stdout == shell("policy init -").stdout != b""


def test_a_bundle_is_verified_from_standard_input():
    assert b"intact (unsigned)\n" == shell("verify - <$1").stdout


def test_a_bundle_goes_to_standard_output_and_what_is_said_of_it_to_standard_error():
    ended = shell("collect --host-only -o - | $0 -m numaaudit verify -")

    assert (0, b"intact (unsigned)\n") == (ended.returncode, ended.stdout)
    assert ended.stderr.startswith(b"Selected no process, only the host.\n")
    assert b"\nstandard output: " in ended.stderr


def test_a_bundle_that_nobody_takes_is_kept_elsewhere(tmp_path):
    ended = shell("collect --host-only -o - >/dev/full", TMPDIR=str(tmp_path))

    [kept] = tmp_path.iterdir()
    assert (4, f"what was collected is in {kept}".encode() in ended.stderr) == (ended.returncode, True)


def test_the_version_is_told():
    assert f"numaaudit {__version__}\n".encode() == shell("--version").stdout
