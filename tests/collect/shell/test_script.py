"""The script is made from what the collectors declare."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from numaaudit.bundle.redact import REDACTED_NAMES
from numaaudit.bundle.tree import braces
from numaaudit.collect.collector import collectors
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.portable import portable
from numaaudit.collect.shell import script as module
from numaaudit.collect.shell.script import KNOWN_OPTIONS, PARTS, emit, script
from numaaudit.core.errors import CollectError

FOLDER = Path(module.__file__).parent
PLAIN_TEXT = script()


def test_every_collector_is_in_it():
    units = collectors()
    host = [name for name, unit in units.items() if unit.scope == "host" and not unit.commands]
    commands = [argv for unit in units.values() for argv in unit.commands]

    assert [name for name in host if "host_%s() {\n" % name not in PLAIN_TEXT] == []
    assert [argv for argv in commands if " ".join(argv[:1]) not in PLAIN_TEXT] == []


def test_all_files_of_processes_threads_and_cgroups_are_named_in_it():
    units = collectors()
    names = {
        plain
        for unit in units.values()
        if unit.scope in ("process", "thread", "cgroup") and not unit.links
        for pattern in unit.files
        for plain in braces(pattern)
    }  # fmt: skip

    assert [name for name in sorted(names) if name not in PLAIN_TEXT] == []


def test_what_collectors_choose_by_a_function_has_one_of_that_name_or_is_said_to_be_left_out():
    chosen = {
        function.__name__ for unit in collectors().values() for function in (unit.only_if, unit.keep_target, unit.operands) if function
    }

    assert [name for name in sorted(chosen) if "\n%s() {\n" % name not in PLAIN_TEXT] == []
    assert "note_left_out() {\n    :\n}" in PLAIN_TEXT


def test_a_file_that_is_redacted_has_a_filter_or_is_not_collected():
    arms = [line.strip() for line in PLAIN_TEXT.splitlines() if line.strip().startswith("*/") and " filter=" in line]

    assert {arm.split(")")[0][2:] for arm in arms} == set(REDACTED_NAMES)
    assert {arm.split("filter=")[1].split()[0] for arm in arms} <= {
        "none", "filter_environ", "filter_cmdline", "filter_mounts", "filter_numa_maps",
    }  # fmt: skip


def test_every_shell_finds_it_well_formed(shell, script_file):
    assert subprocess.run([*shell, "-n", script_file], capture_output=True, check=False).stderr == b""


def test_no_foreign_text_is_ever_evaluated():
    words = {word for line in PLAIN_TEXT.splitlines() if not line.lstrip().startswith("#") for word in line.split()}

    assert words & {"eval", "xargs"} == set()


def test_all_parts_are_in_it_and_none_is_long():
    files = sorted(file.name for file in FOLDER.glob("*.sh"))

    assert files == sorted(PARTS)
    assert [name for name in files if len((FOLDER / name).read_text().splitlines()) > 300] == []


def test_its_options_are_a_choice_of_the_collectors():
    assert set(KNOWN_OPTIONS) < set(CollectOptions._fields)


def test_it_is_written_as_a_new_program(tmp_path):
    [line] = emit(str(tmp_path / "collect.sh"))

    assert (tmp_path / "collect.sh").read_text() == PLAIN_TEXT
    assert os.stat(tmp_path / "collect.sh").st_mode & 0o777 == 0o755
    assert line.startswith("%s: " % (tmp_path / "collect.sh"))
    with pytest.raises(CollectError, match="exists already"):
        emit(str(tmp_path / "collect.sh"))


def test_the_portable_collector_writes_the_same(tmp_path):
    (tmp_path / "collect.pyz").write_bytes(portable())
    argv = [sys.executable, "-I", str(tmp_path / "collect.pyz"), "--emit-shell", str(tmp_path / "collect.sh")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "collect.sh").read_text() == PLAIN_TEXT
