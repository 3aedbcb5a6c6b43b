"""The command line as a user meets it: exit codes, one clear line, nothing half done."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_bundles"
BAD_RANK = str(SAMPLES / "asymmetric-5-3.tar.gz")
HEALTHY = str(SAMPLES / "healthy-4-4.tar.gz")


def numaaudit(*arguments, stdin=subprocess.DEVNULL, **more):
    return subprocess.run(
        [sys.executable, "-m", "numaaudit", *arguments], capture_output=True, text=True, stdin=stdin, timeout=120, check=False, **more
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", HEALTHY], 0),
        (["check", BAD_RANK], 1),
        (["check", BAD_RANK, "--fail-on", "critical"], 0),
        (["check", "--no-such-option"], 2),
        (["explain", "NA999"], 2),
        (["check", "/nonexistent"], 4),
        (["verify", BAD_RANK], 0),
        (["inspect", BAD_RANK], 0),
        (["report", BAD_RANK], 0),
        (["rules"], 0),
        (["explain", "NA201"], 0),
        (["explain", "NA201", BAD_RANK], 0),
        (["demo"], 0),
        (["--help"], 0),
    ],
)
def test_exit_code(arguments, code):
    assert numaaudit(*arguments).returncode == code


def test_strict_tells_unknown_from_pass(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("processor\t: 0\n")

    assert numaaudit("check", str(tmp_path)).returncode == 0
    assert numaaudit("check", str(tmp_path), "--strict").returncode == 5


def bad_inputs(folder: Path):
    whole = Path(HEALTHY).read_bytes()
    yield "empty file", folder / "empty", b""
    yield "cut gzip", folder / "cut.tar.gz", whole[: len(whole) // 2]
    yield "cut tar", folder / "cut.tar", gzip.decompress(whole)[:100_000]
    yield "binary", folder / "binary", bytes(range(256)) * 64
    yield "zeros", folder / "zeros", bytes(1 << 20)


@pytest.mark.parametrize("index", range(5))
def test_bad_input_is_one_clear_line(tmp_path, index):
    _, path, data = list(bad_inputs(tmp_path))[index]
    path.write_bytes(data)

    ended = numaaudit("check", str(path))

    assert ended.returncode == 4
    assert ended.stdout == ""
    first, *hint = ended.stderr.splitlines()
    assert first.startswith(f"numaaudit: {path}")
    assert len(hint) <= 1


def test_an_empty_directory_is_no_evidence(tmp_path):
    assert numaaudit("check", str(tmp_path)).returncode == 4


def test_standard_input_is_read(tmp_path):
    with open(HEALTHY, "rb") as bundle:
        assert numaaudit("check", "-", stdin=bundle).returncode == 0


def test_a_closed_pipe_ends_quietly():
    script = '"$0" -m numaaudit inspect "$1" --format json | head -n 1'
    ended = subprocess.run(["sh", "-c", script, sys.executable, BAD_RANK], capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.stderr) == ("{\n", "")


def test_output_goes_to_a_file_as_a_whole(tmp_path):
    target = tmp_path / "report.json"

    ended = numaaudit("check", BAD_RANK, "--format", "json", "-o", str(target))

    assert (ended.returncode, ended.stdout) == (1, "")
    assert json.loads(target.read_text())["verdict"] == "fail"
    assert list(tmp_path.iterdir()) == [target]


def test_an_output_that_cannot_be_written_is_one_line(tmp_path):
    ended = numaaudit("check", BAD_RANK, "-o", str(tmp_path / "no" / "report.json"))

    assert ended.returncode == 4
    assert len(ended.stderr.splitlines()) == 1


def test_no_colour_in_a_pipe():
    assert "\x1b" not in numaaudit("check", BAD_RANK).stdout


def test_damage_is_named(tmp_path):
    damaged = bytearray(gzip.decompress(Path(BAD_RANK).read_bytes()))
    at = damaged.index(b"Cpus_allowed_list:\t32-39")
    damaged[at + 19] = ord("4")
    copy = tmp_path / "damaged.tar"
    copy.write_bytes(damaged)

    ended = numaaudit("verify", str(copy))

    assert ended.returncode == 1
    assert ended.stdout.startswith("damaged: root/proc/4242/")


class TestLive:
    """This host now, with a real process."""

    @pytest.fixture
    def target(self):
        process = subprocess.Popen(["sleep", "300"])
        yield process.pid
        process.kill()
        process.wait()

    def test_collect_then_the_other_commands(self, tmp_path, target):
        bundle = str(tmp_path / "evidence.tar.gz")

        collected = numaaudit("collect", "--pid", str(target), "-o", bundle)

        assert collected.returncode == 0
        assert f"  {target} sleep [redacted]: named by --pid" in collected.stdout.splitlines()
        assert os.stat(bundle).st_mode & 0o777 == 0o600
        assert numaaudit("verify", bundle).stdout == "intact (unsigned)\n"
        assert numaaudit("check", bundle).returncode == 0
        model = json.loads(numaaudit("inspect", bundle, "--format", "json").stdout)
        (process,) = model["processes"]
        assert (process["pid"], process["comm"]) == (target, "sleep")
        assert sum(process["bytes_by_node"].values()) > 0

    def test_a_process_that_does_not_exist(self, tmp_path):
        ended = numaaudit("collect", "--pid", "4194304", "-o", str(tmp_path / "x.tar.gz"))

        assert ended.returncode == 4
        assert list(tmp_path.iterdir()) == []

    def test_nothing_selected_names_the_way_out(self, tmp_path):
        ended = numaaudit("collect", "--match", "no-such-process-[0-9]{40}", "-o", str(tmp_path / "x.tar.gz"))

        assert ended.returncode == 4
        assert "--host-only" in ended.stderr

    def test_interrupted_once_it_writes_what_it_has(self, tmp_path, target):
        bundle, started = tmp_path / "evidence.tar.gz", tmp_path / "started"
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n: > {started}\nexec sleep 30\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = [sys.executable, "-m", "numaaudit", "collect", "--pid", str(target), "-o", str(bundle)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        for _ in range(600):
            if started.exists():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

        assert process.returncode == 130
        assert numaaudit("verify", str(bundle)).stdout == "intact (unsigned)\n"


@pytest.mark.parametrize(("text", "code"), [("hello\n", 4), ("hello\n\navailable: 1 nodes (0)\nnode 0 cpus: 0 1\n", 0)])
def test_a_text_in_which_nothing_is_recognised_is_no_evidence(tmp_path, text, code):
    (tmp_path / "ticket.txt").write_text(text)

    ended = numaaudit("check", "ticket.txt", cwd=tmp_path)

    assert ended.returncode == code
    assert ended.stderr.partition("\n")[0] == ("numaaudit: ticket.txt: nothing in it is recognised" if code else "")
    assert numaaudit("inspect", "ticket.txt", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("group", [[], ["class"], ["policy"]], ids=["all", "class", "policy"])
def test_no_summary_of_a_command_is_cut(group):
    summaries = numaaudit(*group, "--help").stdout.partition("Commands:\n")[2].splitlines()

    assert summaries != []
    assert [line for line in summaries if line.endswith("...") or not line.startswith("  ")] == []
