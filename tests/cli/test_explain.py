"""``numaaudit explain`` with evidence."""

import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_bundles"


def numaaudit(*arguments):
    return subprocess.run([sys.executable, "-m", "numaaudit", *arguments], check=True, capture_output=True, text=True).stdout


def test_a_class_rule_is_explained_by_the_class_that_is_named(tmp_path):
    numaaudit("class", "create", str(SAMPLES / "run-1-baseline.tar.gz"), "-o", str(tmp_path / "class.yaml"))

    explained = numaaudit("explain", "NA902", str(SAMPLES / "nps4.tar.gz"), "--class", str(tmp_path / "class.yaml"))

    assert "fail  numa_node:7\n  NUMA node 7 is not in the class: cpus 56-63" in explained
