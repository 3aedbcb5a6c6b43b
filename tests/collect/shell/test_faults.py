"""Whatever hangs, is missing or interrupts: a bundle that is intact, or none."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tree import Gap
from numaaudit.bundle.verify import verify_bundle

NEEDED = "cat cp mkdir tar tr grep readlink date".split()
PROCESS = {
    "proc/7/stat": "7 (x) S 1 7 7 0 -1 0 0 0 0 0 5 5 0 0 20 0 2 0 100 0 0 0\n",
    "proc/7/status": "Name:\tx\nPid:\t7\n",
    "proc/7/cmdline": "x\0",
}


@pytest.fixture
def hanging_root(make_root):
    """A host on which the environment of process 7 never answers, and which has a process 8."""
    other = {path.replace("/7/", "/8/"): text.replace("7", "8") for path, text in PROCESS.items()}
    root = make_root({**PROCESS, **other, "proc/version": "Linux\n"})
    os.mkfifo(root + "/proc/7/environ")
    return root


@pytest.fixture
def stubs(tmp_path):
    """A folder of programs for PATH."""

    def make(**texts: str) -> str:
        folder = tmp_path / "stubs"
        folder.mkdir(mode=0o755)
        for name, text in texts.items():
            (folder / name).write_text("#!/bin/sh\n" + text)
            (folder / name).chmod(0o755)
        return str(folder)

    return make


def gap_at(path: str, place: str) -> Gap | None:
    found = open_input(path).tree.get(place)
    return found if isinstance(found, Gap) else None


@pytest.mark.slow
def test_a_file_that_never_answers_costs_only_itself_and_what_comes_after_it(run, hanging_root, tmp_path):
    done = run("--root", hanging_root, "--pid", "7", "--pid", "8", "-o", "x.tar")
    path = str(tmp_path / "x.tar")

    assert done.returncode == 0
    assert verify_bundle(path).intact
    assert gap_at(path, "root/proc/7/environ") == Gap("timed-out", "root/proc/7/environ", "no answer")
    assert gap_at(path, "root/proc/7/numa_maps").kind == "not-run"
    assert gap_at(path, "root/proc/7/cmdline") is None
    assert gap_at(path, "root/proc/8/cmdline") is None


def test_at_the_deadline_what_was_read_is_written(run, hanging_root, tmp_path):
    began = time.monotonic()
    done = run("--root", hanging_root, "--pid", "7", "--deadline", "2", "-o", "x.tar")

    assert done.returncode == 0
    assert time.monotonic() - began < 8
    assert verify_bundle(str(tmp_path / "x.tar")).intact
    missed = open_input(str(tmp_path / "x.tar")).manifest.gaps().values()
    assert {gap.reason for gap in missed if gap.path.startswith("root/proc/{version")} == {"no time was left"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_writes_what_is_there(shell, script_file, hanging_root, temporary, tmp_path, number):
    running = started(shell, script_file, hanging_root, temporary, tmp_path)
    os.killpg(running.pid, number)
    printed, _ = running.communicate(timeout=30)

    assert running.returncode == 130
    assert "Interrupted" in printed
    assert verify_bundle(str(tmp_path / "x.tar")).intact
    assert open_input(str(tmp_path / "x.tar")).manifest.interrupted
    assert os.listdir(temporary) == []


def started(shell, script_file, root, temporary, tmp_path) -> "subprocess.Popen[str]":
    """The script once it waits for a file that never answers."""
    argv = [*shell, script_file, "--root", root, "--pid", "7", "-o", str(tmp_path / "x.tar")]
    variables = {**os.environ, "TMPDIR": str(temporary)}
    running = subprocess.Popen(argv, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not [file for file in temporary.glob("*/trying") if file.read_text() == "environ\n"]:
        time.sleep(0.05)
    return running


def test_a_command_that_hangs_is_ended_and_said(run, stubs, tmp_path):
    path = stubs(lscpu="exec sleep 300")
    done = run("--host-only", "--deadline", "4", "-o", "x.tar", PATH=path + ":/usr/bin:/bin")

    found = gap_at(str(tmp_path / "x.tar"), "commands/lscpu.out")
    assert done.returncode == 0
    assert (found.kind, found.reason) == ("timed-out", "still running at its deadline")
    assert verify_bundle(str(tmp_path / "x.tar")).intact


def test_of_a_command_the_exit_code_and_both_outputs_are_kept(run, stubs, tmp_path):
    path = stubs(lscpu="echo out; echo warning >&2; echo $UNWANTED >&2; exit 3")
    run("--host-only", "-o", "x.tar", PATH=path + ":/usr/bin:/bin", UNWANTED="of the environment")

    opened = open_input(str(tmp_path / "x.tar"))
    [ran] = [ran for ran in opened.manifest.commands if ran.argv == ("lscpu",)]
    assert (ran.outcome, ran.exit_code, ran.signal) == ("ok", 3, None)
    assert opened.tree.text("commands/lscpu.out") == "out"
    assert opened.tree.text("commands/lscpu.err") == "warning"


def test_a_folder_of_path_that_anybody_can_write_to_is_left_out(run, stubs, tmp_path):
    path = stubs(lscpu="echo planted")
    Path(path).chmod(0o777)
    run("--host-only", "-o", "x.tar", PATH=path + ":/usr/bin:/bin")

    assert b"planted" not in (tmp_path / "x.tar").read_bytes()


def test_with_the_needed_tools_alone_a_bundle_is_written_that_says_what_is_missing(shell, script_file, hanging_root, temporary, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in NEEDED:
        (tools / tool).symlink_to(str(shutil.which(tool)))
    os.remove(hanging_root + "/proc/7/environ")
    argv = [str(shutil.which(shell[0])), *shell[1:], script_file, "--root", hanging_root, "--pid", "7", "-o", str(tmp_path / "x.tar")]
    done = subprocess.run(argv, env={"PATH": str(tools), "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False)

    opened = open_input(str(tmp_path / "x.tar"))
    assert done.returncode == 0
    assert opened.tree.text("root/proc/7/cmdline") == "x"
    if shell[0] != "busybox":  # which has all of them in itself
        assert "stays; all in it is redacted" in done.stderr
        assert Gap("not-run", "manifest.json", "sha256sum or wc is missing, so there are no digests and nothing can be verified") in (
            opened.manifest.gaps().values()
        )


def test_a_command_that_is_not_permitted_is_refused(run, stubs, tmp_path):
    path = stubs(lscpu="echo 'lscpu: cannot open: Operation not permitted' >&2; exit 1")
    run("--host-only", "-o", "x.tar", PATH=path + ":/usr/bin:/bin")

    opened = open_input(str(tmp_path / "x.tar"))
    [ran] = [ran for ran in opened.manifest.commands if ran.argv == ("lscpu",)]
    assert (ran.outcome, ran.exit_code, ran.reason) == ("refused", 1, "not permitted to this user; run this script as root")
    assert "not permitted" in opened.tree.text("commands/lscpu.err")
    assert verify_bundle(str(tmp_path / "x.tar")).intact


@pytest.mark.parametrize("words", [("--match", ""), ("--root=",), ("-o", "")])
def test_a_variable_that_is_not_set_does_not_ask_for_less(run, tmp_path, words):
    done = run(*words)

    flag = words[0].rstrip("=")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"numaaudit: {flag}: empty")
    assert list(tmp_path.glob("*.tar*")) == []


def test_a_link_in_the_place_of_its_folder_is_not_followed(shell, script_file, temporary, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    argv = [str(shutil.which(shell[0])), *shell[1:], script_file, "--root", str(temporary), "--host-only", "-o", str(tmp_path / "x.tar")]
    starter = 'ln -s "%s" "$TMPDIR/numaaudit.$$"; exec "$@"' % elsewhere
    done = subprocess.run(["sh", "-c", starter, "sh", *argv], env={**os.environ, "TMPDIR": str(temporary)}, check=False, timeout=60)

    assert done.returncode == 0
    assert not elsewhere.exists()
    assert [path.is_symlink() for path in temporary.iterdir()] == [True]
