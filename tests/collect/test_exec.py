import os
import time
from pathlib import Path

import pytest

from numaaudit.collect.exec import run_at_terminal, run_commands, safe_folders


def never():
    return False


@pytest.fixture
def tools(tmp_path):
    """A function that writes a shell script into a folder for PATH."""
    folder = tmp_path / "bin"
    folder.mkdir(mode=0o755)

    def add(name, body):
        (folder / name).write_text("#!/bin/sh\n" + body)
        (folder / name).chmod(0o755)
        return str(folder) + ":/usr/bin:/bin"

    return add


def run(argv, path, seconds=20.0, stop=never):
    [result] = run_commands([argv], seconds, path, stop)
    return result._replace(duration_ms=0.0)


def test_output_and_exit_code_are_kept_apart_from_stderr(tools):
    path = tools("tool", "echo out; echo err >&2; exit 9\n")

    result = run(("tool", "-x"), path)

    assert (result.outcome, result.exit_code, result.signal, result.stdout, result.stderr) == ("ok", 9, None, b"out\n", b"err\n")


def test_a_command_killed_by_a_signal_says_which(tools):
    result = run(("tool",), tools("tool", "kill -SEGV $$\n"))

    assert (result.outcome, result.exit_code, result.signal) == ("ok", None, 11)


def test_a_missing_command_is_absent(tools):
    result = run(("nvidia-smi", "-L"), tools("tool", ""))

    assert (result.outcome, result.reason) == ("absent", "nvidia-smi is not in PATH")


def test_a_command_that_never_returns_is_timed_out_and_ended(tools, tmp_path):
    path = tools("hung", "echo $$ > %s/pid; echo half a table; trap '' TERM; sleep 100; sleep 100\n" % tmp_path)
    began = time.monotonic()

    result = run(("hung",), path, seconds=2.0)

    assert (result.outcome, result.exit_code, result.stdout) == ("timed-out", None, b"")
    assert time.monotonic() - began < 20
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_a_command_that_prints_endlessly_is_cut_at_a_line(tools):
    result = run(("endless",), tools("endless", "exec yes 'GPU 0'\n"))

    assert (result.outcome, result.reason) == ("cut", "printed more than 4 MiB")
    assert result.stdout == b"GPU 0\n" * (65536 // 6)


def test_commands_run_side_by_side_and_answer_in_order(tools, tmp_path):
    """Each waits for the other: one after the other they would wait for ever."""
    path = tools("meet", 'cd %s; touch "$1"; while [ ! -e "$2" ]; do sleep 0.01; done; echo "$1"\n' % tmp_path)

    results = run_commands([("meet", "a", "b"), ("meet", "b", "a")], 20.0, path, never)

    assert [result.stdout for result in results] == [b"a\n", b"b\n"]


def test_a_helper_that_holds_the_pipe_does_not_hold_up_the_command(tools):
    began = time.monotonic()

    result = run(("tool",), tools("tool", "sleep 100 & echo done\n"))

    assert (result.outcome, result.stdout) == ("ok", b"done\n")
    assert time.monotonic() - began < 20


def test_the_environment_is_clean_and_the_place_is_the_root(tools, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    path = tools("tool", "pwd; env\n")

    lines = run(("tool",), path).stdout.decode().splitlines()

    assert lines[0] == "/"
    assert sorted(line.partition("=")[0] for line in lines[1:] if not line.startswith(("_=", "SHLVL="))) == ["LC_ALL", "PATH", "PWD"]


def test_only_absolute_folders_that_others_cannot_write_are_searched(tmp_path):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    own = tmp_path / "own"
    own.mkdir(mode=0o755)

    assert safe_folders(":".join([".", "", "bin", str(open_to_all), str(own), str(tmp_path / "missing")])) == [str(own)]


def test_a_program_that_cannot_be_run_is_absent(tools):
    path = tools("tool", "")
    Path(path.partition(":")[0], "tool").write_bytes(b"\x7fELF no program")

    assert run(("tool",), path).reason == "cannot be started"


def test_a_wish_to_stop_ends_all_commands(tools):
    asked_at = time.monotonic() + 0.2

    result = run(("tool",), tools("tool", "sleep 100\n"), seconds=30, stop=lambda: time.monotonic() > asked_at)

    assert (result.outcome, result.reason) == ("not-run", "interrupted")


def test_no_descriptor_is_left_open(tools):
    path = tools("tool", "echo\n")
    before = os.listdir("/proc/self/fd")

    run(("tool",), path)

    assert os.listdir("/proc/self/fd") == before


def test_a_command_at_the_terminal_reads_what_it_is_given_in_a_clean_environment(tools, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    path = tools("tool", "cat; pwd >&2; env >&2; exit 3\n")
    given = b"line\n" * 100_000

    result = run_at_terminal(("tool",), given, 20.0, path, {"SSH_AUTH_SOCK": "/run/agent"})

    names = sorted(line.partition(b"=")[0] for line in result.stderr.splitlines()[1:])
    assert (result.outcome, result.exit_code, result.stdout, result.stderr.splitlines()[0]) == ("ok", 3, given, b"/")
    assert [name for name in names if name not in (b"_", b"SHLVL")] == [b"LC_ALL", b"PATH", b"PWD", b"SSH_AUTH_SOCK"]


def test_a_command_at_the_terminal_that_waits_for_ever_is_asked_to_end_and_then_made_to(tools, tmp_path):
    path = tools("hung", "trap 'echo asked > %s/asked' TERM; echo $$ > %s/pid; while :; do sleep 0.05; done\n" % (tmp_path, tmp_path))

    result = run_at_terminal(("hung",), b"", 2.0, path, {})

    assert (result.outcome, result.reason, (tmp_path / "asked").read_text()) == ("timed-out", "no answer from hung within 2 s", "asked\n")
    pid = int((tmp_path / "pid").read_text())
    os.waitpid(pid, 0)  # it was killed, so this ends
    assert not Path("/proc/%d" % pid).exists()


def test_a_command_at_the_terminal_that_is_not_there_says_so(tools):
    path = tools("broken", "")
    Path(path.partition(":")[0], "broken").write_bytes(b"\x7fELF no program")

    results = [run_at_terminal((name,), b"", 20.0, path, {}) for name in ("tool", "broken")]
    assert [(result.outcome, result.reason) for result in results] == [
        ("absent", "tool is not in PATH"),
        ("absent", "broken cannot be started"),
    ]


def test_a_command_at_the_terminal_that_does_not_read_is_no_error(tools):
    assert run_at_terminal(("tool",), b"x" * (1 << 20), 20.0, tools("tool", "kill -9 $$\n"), {}).signal == 9
