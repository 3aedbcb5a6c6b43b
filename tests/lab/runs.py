"""One boot of a shape, and what came out of it: the kernel's side (observed) and numaaudit's (model, report)."""

from __future__ import annotations

import compileall
import json
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

from guest import CHECKOUT, HERE, RESULTS, run_in_guest
from shapes import HostShape

Json = dict[str, Any]


class Run:
    def __init__(self, shape: HostShape) -> None:
        """Boots; LabError if the scenario did not come to its end."""
        self.shape = shape
        compileall.compile_dir(CHECKOUT / "numaaudit", quiet=1)  # the guest, far slower, cannot keep what it compiles
        self.results: Path = run_in_guest(shape, [sys.executable, str(HERE / "scenario.py"), shape.name, RESULTS])
        self.bundle = str(self.results / "bundle.tar.gz")

    @cached_property
    def observed(self) -> Json:
        """What scenario.py wrote down: masks, pages, other tools' tables, and the ends of the two numaaudit runs."""
        return json.loads((self.results / "observed.json").read_text())

    @cached_property
    def targets(self) -> Json:
        return self.observed["targets"]

    @cached_property
    def report(self) -> Json:
        """The verdict on the live host, from within."""
        check = self.observed["check"]
        assert check["exit_code"] in (0, 1), check["stderr"]
        return json.loads(check["stdout"])

    @cached_property
    def model(self) -> Json:
        """The bundle that ``collect`` wrote in the guest, read on this host."""
        assert self.observed["collect"]["exit_code"] == 0, self.observed["collect"]["stderr"]
        inspect = numaaudit("inspect", self.bundle, "--format", "json")
        assert inspect.returncode == 0, inspect.stderr
        return json.loads(inspect.stdout)

    @cached_property
    def later_report(self) -> Json:
        """The verdict on that bundle, on this host."""
        check = numaaudit("check", self.bundle, "--format", "json", "--all")
        assert check.returncode in (0, 1), check.stderr
        return json.loads(check.stdout)

    def process(self, name: str) -> Json:
        """A target, as the model has it."""
        return next(process for process in self.model["processes"] if process["pid"] == self.targets[name]["pid"])


def numaaudit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "numaaudit", *arguments], check=False, capture_output=True, text=True, cwd=CHECKOUT)


def outcomes(report: Json, rule: str) -> dict[str, str]:
    return {finding["subject"]: finding["outcome"] for finding in report["findings"] if finding["rule"] == rule}
