"""The sample bundles: they are what their generator makes, hold what ``collect`` reads, and every output of them is known."""

import gzip
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect

PROJECT = Path(__file__).parent.parent
FOLDER = PROJECT / "sample_bundles"
NAMES = sorted(path.name.removesuffix(".tar.gz") for path in FOLDER.glob("*.tar.gz"))
GOLDEN = {
    "inspect.json": ("inspect", "--format", "json"),
    "check.json": ("check", "--format", "json"),
    "check.txt": ("check",),
    "check.md": ("check", "--format", "markdown"),
    "check.html": ("check", "--format", "html"),
}


def run(*argv: str) -> bytes:
    """Standard output of a Python program run in the folder of the samples, so that outputs name them without a path."""
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, *argv], check=False, cwd=FOLDER, env=environ, capture_output=True, timeout=120)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def test_the_generator_makes_the_bundles_that_are_here(tmp_path: Path) -> None:
    run("generate.py", "--into", str(tmp_path))
    made = {path.name: path for path in tmp_path.iterdir()}
    assert sorted(made) == [f"{name}.tar.gz" for name in NAMES]
    changed = [name for name, path in made.items() if _unpacked(path) != _unpacked(FOLDER / name)]
    assert changed == []


def _unpacked(path: Path) -> bytes:
    """The tar in it: builds of zlib pack differently."""
    return gzip.decompress(path.read_bytes())


def test_the_generator_gives_the_same_bytes_again(tmp_path: Path) -> None:
    name = "asymmetric-5-3"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        run("generate.py", "--into", str(tmp_path / folder), name)
    assert (tmp_path / "one" / f"{name}.tar.gz").read_bytes() == (tmp_path / "two" / f"{name}.tar.gz").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_holds_what_collect_would_read_on_that_host(name: str, tmp_path: Path) -> None:
    with tarfile.open(FOLDER / f"{name}.tar.gz") as bundle:
        for member in bundle.getmembers():
            if member.name.startswith("root/"):
                bundle.extract(member, tmp_path)
        stored = json.load(bundle.extractfile("manifest.json"))  # type: ignore[arg-type]
    collected = json.loads(collect(CollectOptions(root=str(tmp_path / "root"), pages="full")).manifest.to_json())
    expected = [entry for entry in collected["entries"] if entry["path"].startswith("root/")]
    actual = [entry for entry in stored["entries"] if entry["path"].startswith("root/")]
    assert _attempts(actual) == _attempts(expected)
    assert stored["selection"] == collected["selection"]


def _attempts(entries: list[dict[str, str]]) -> set[tuple[str, str, str]]:
    return {(entry["path"], entry.get("outcome", "ok"), entry.get("collector", "")) for entry in entries}


@pytest.mark.parametrize("kind", GOLDEN)
@pytest.mark.parametrize("name", NAMES)
def test_every_output_of_a_sample_is_as_expected(name: str, kind: str, update_golden: bool) -> None:
    command, *options = GOLDEN[kind]
    actual = run("-m", "numaaudit", command, f"{name}.tar.gz", *options)
    golden = FOLDER / "expected" / f"{name}.{kind}"
    if update_golden:
        golden.write_bytes(actual)
    assert actual.decode() == golden.read_text(encoding="utf-8")
