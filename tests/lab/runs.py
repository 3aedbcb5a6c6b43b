"""One boot of a shape, and what came out of it: the kernel's side (observed) and numaaudit's (model, report)."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

from guest import CHECKOUT, HERE, PORTABLE, RESULTS, SHELL_SCRIPT, run_in_guest
from shapes import HostShape

Json = dict[str, Any]
_PYTHON = ("env", f"PYTHONPATH={CHECKOUT}", sys.executable)


class Run:
    def __init__(self, shape: HostShape) -> None:
        """Boots; LabError if the scenario did not come to its end."""
        self.shape = shape
        self._models: dict[str, Json] = {}
        self.results: Path = run_in_guest(shape, [*_PYTHON, str(HERE / "scenario.py"), shape.name, RESULTS])
        self.bundle = str(self.results / "bundle.tar.gz")

    def made_by(self, name: str) -> Json:
        """How the command of that name ended, of those that only this shape has."""
        return self.observed["further"][name]

    @cached_property
    def observed(self) -> Json:
        """What scenario.py wrote down: masks, pages, other tools' tables, and how numaaudit's commands ended."""
        return json.loads((self.results / "observed.json").read_text())

    @cached_property
    def targets(self) -> Json:
        return self.observed["targets"]

    @cached_property
    def model(self) -> Json:
        """The bundle that ``collect`` wrote in the guest, read on this host."""
        assert self.observed["collect"]["exit_code"] == 0, self.observed["collect"]["stderr"]
        return self.model_of("bundle")

    def model_of(self, name: str) -> Json:
        """One of the bundles that were made in the guest, read on this host."""
        if name not in self._models:
            inspect = numaaudit("inspect", str(self.results / f"{name}.tar.gz"), "--format", "json")
            assert inspect.returncode == 0, inspect.stderr
            self._models[name] = json.loads(inspect.stdout)
        return self._models[name]

    @cached_property
    def report(self) -> Json:
        """The verdict on that bundle, on this host."""
        return self.report_on("bundle")

    @cached_property
    def live_report(self) -> Json:
        """The verdict on the live host, from within; one shape has it."""
        check = self.made_by("check")
        assert check["exit_code"] in (0, 1), check["stderr"]
        return json.loads(check["stdout"])

    def judged(self, outcome: str) -> set[tuple[str, str]]:
        """As the function below, of the bundle; a target that is no rank goes by its name: ``pid:streaming``."""
        names = {f"pid:{target['pid']}": f"pid:{name}" for name, target in self.targets.items()}
        return {(rule, names.get(subject, subject)) for rule, subject in judged(self.report, outcome)}

    def report_on(self, name: str, *options: str) -> Json:
        check = numaaudit("check", str(self.results / f"{name}.tar.gz"), "--format", "json", "--all", *options)
        assert check.returncode in (0, 1), check.stderr
        return json.loads(check.stdout)

    def finding(self, rule: str, subject: str) -> Json:
        """What a rule, by its name, says of a subject of the bundle."""
        (found,) = (each for each in self.report["findings"] if (each["name"], each["subject"]) == (rule, subject))
        return found

    def process(self, name: str, bundle: str = "bundle") -> Json:
        """A target, as the model of a bundle has it."""
        return next(process for process in self.model_of(bundle)["processes"] if process["pid"] == self.targets[name]["pid"])


def emit_collectors() -> None:
    """For the guests, which see them at the same path."""
    for option, file in (("--emit-portable", PORTABLE), ("--emit-shell", SHELL_SCRIPT)):
        file.unlink(missing_ok=True)
        emit = numaaudit("collect", option, str(file))
        assert emit.returncode == 0, emit.stderr


def numaaudit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "numaaudit", *arguments], check=False, capture_output=True, text=True, cwd=CHECKOUT)


def outcomes(report: Json, rule: str) -> dict[str, str]:
    return {finding["subject"]: finding["outcome"] for finding in report["findings"] if rule in (finding["rule"], finding["name"])}


def judged(report: Json, outcome: str) -> set[tuple[str, str]]:
    """Name of the rule and subject of all that came out so."""
    return {(finding["name"], finding["subject"]) for finding in report["findings"] if finding["outcome"] == outcome}
