"""Every example of the README is run: in a ```console block a line ``$ COMMAND`` is followed by what it prints.

The commands of a block run one after another in one copy of the samples; ``...`` stands for anything on its line, and a line
that is only ``...`` for any number of lines.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest

PROJECT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.M)
BLOCKS = BLOCK.findall((PROJECT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("block", BLOCKS, ids=[block.partition("\n")[0] for block in BLOCKS])
def test_examples_print_what_the_readme_says(block: str, tmp_path: Path):
    shutil.copytree(PROJECT / "sample_bundles", tmp_path / "sample_bundles")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    examples = COMMAND.findall(block)
    assert "".join(f"$ {command}\n{shown}" for command, shown in examples) == block
    for command, shown in examples:
        argv = ["sh", "-c", command]
        run = subprocess.run(argv, cwd=tmp_path, env=environment, stdout=PIPE, stderr=STDOUT, text=True, timeout=120, check=False)
        assert matches(shown, run.stdout), f"$ {command}\n{run.stdout}"


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what a README shows of it."""
    return re.fullmatch("\n".join([_expression(line) for line in shown.splitlines()]), printed.rstrip("\n")) is not None


def _expression(line: str) -> str:
    if line.strip() == "...":
        return ".*(?:\n.*)*?"
    return re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + "[ \t]*"


def test_dots_stand_for_lines_and_parts_of_lines():
    assert matches("a ... c\n...\nz\n", "a b c\nd\ne\nz\n")
    assert not matches("a ... c\nz\n", "a b c\nd\nz\n")
    assert not matches("a.b\n", "axb\n")
