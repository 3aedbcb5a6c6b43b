"""A plug-in, installed as users install one, changes a verdict when it is named and never else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SAMPLE = str(HERE.parents[1] / "sample_bundles" / "healthy-4-4.tar.gz")
BUILD = ("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages with the example and a broken plug-in in it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, *BUILD, str(folder), str(HERE / "example")], check=True, timeout=120)
    broken = folder / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[numaaudit.rules]\nbroken = no_such_package\nours = numaaudit.rules.checks\n")
    return folder


@pytest.fixture
def numaaudit(site):
    def run(*arguments):
        environ = {**os.environ, "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{site}"}
        argv = [sys.executable, "-m", "numaaudit", *arguments]
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, env=environ)

    return run


def judged(ended):
    return {finding["rule"] for finding in json.loads(ended.stdout)["findings"]}


def test_installed_is_not_named(numaaudit):
    assert "EXAMPLE201" not in judged(numaaudit("check", SAMPLE, "--format", "json", "--all"))


def test_named_it_judges(numaaudit):
    ended = numaaudit("check", SAMPLE, "--format", "json", "--all", "--plugin", "example")

    assert ended.returncode == 0
    assert "EXAMPLE201" in judged(ended)
    assert json.loads(ended.stdout)["policy"] == {"path": None, "profile": None, "plugins": ["example"]}


def test_a_policy_names_it_and_sets_its_threshold(numaaudit, tmp_path):
    policy = tmp_path / "p.yaml"
    policy.write_text("plugins: [example]\nrules: {EXAMPLE201: {thresholds: {least_cpus: 9}}}\n")

    ended = numaaudit("check", SAMPLE, "--policy", str(policy))

    assert ended.returncode == 1
    assert "MEDIUM  rank-with-few-cpus (EXAMPLE201)  rank:0-7" in ended.stdout
    assert "  thresholds: least_cpus 9\n" in ended.stdout
    assert "plug-ins  example\n" in ended.stdout


def test_its_page_is_shown(numaaudit):
    assert numaaudit("explain", "EXAMPLE201").returncode == 2
    assert numaaudit("explain", "EXAMPLE201", "--plugin", "example").stdout.startswith("# rank-with-few-cpus (EXAMPLE201)")
    assert "EXAMPLE201" in numaaudit("rules", "--plugin", "example").stdout


@pytest.mark.parametrize("name", ["nobody", "broken", "ours", "Example\x1b[2J"])
def test_a_plug_in_that_cannot_be_used_is_wrong_usage(numaaudit, name):
    ended = numaaudit("check", SAMPLE, "--plugin", name)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) <= 2
    assert "\x1b" not in ended.stderr


def test_start_up_looks_for_no_plug_in(numaaudit):
    script = (
        "import sys; from numaaudit.cli.app import _run; sys.argv = ['numaaudit', 'rules']; _run(); "
        "print('importlib.metadata' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert ended.stdout.splitlines()[-1] == "False"
