"""Run commands side by side and compare what they cost."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[2]
BUILD = PROJECT / "build" / "bench"
# Byte code is kept, as it is where a package is installed, and beside nothing that others use.
ENVIRON = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPYCACHEPREFIX": str(BUILD / "pycache"), "PYTHONPATH": str(PROJECT),
}  # fmt: skip
NUMAAUDIT = (sys.executable, "-m", "numaaudit")


class Run(NamedTuple):
    """What one run of a command took, its children included. ``peak_bytes`` is of the largest of them."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


class Row(NamedTuple):
    """One line of the table. ``budget`` is the most that ``value`` may be, in the same unit; None where there is none."""

    what: str
    ours: str
    peer: str
    value: float
    unit: str
    budget: float | None
    note: str = ""

    @property
    def is_met(self) -> bool:
        return self.budget is None or self.value <= self.budget


class Settings(NamedTuple):
    rounds: int
    observer_gib: float


Measurement = Callable[[Settings], Iterator[Row]]


def run(argv: Sequence[str], environ: Mapping[str, str] = ENVIRON, exit_codes: Sequence[int] = (0,), cwd: Path = PROJECT) -> Run:
    """Run a command to its end, its output thrown away. RuntimeError for another exit code: a failure must not look fast."""
    began = time.perf_counter()
    with subprocess.Popen(argv, env=dict(environ), cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in exit_codes:
        raise RuntimeError(f"{' '.join(argv)[:200]}: exit {process.returncode}: {errors.decode(errors='replace')[-500:]}")
    return Run(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)


def alternate(rounds: int, **attempts: Callable[[], Run]) -> dict[str, Run]:
    """The median of each after one round that does not count; the attempts take turns, so that a busy host is busy for all."""
    for attempt in attempts.values():
        attempt()
    found = [{name: attempt() for name, attempt in attempts.items()} for _ in range(rounds)]
    return {name: Run(*(statistics.median(getattr(each[name], field) for each in found) for field in Run._fields)) for name in attempts}


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def table(rows: Sequence[Row]) -> str:
    """A Markdown table."""
    lines = ["| what | numaaudit | beside it | result | budget | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        value = f"{row.value:.2f} {row.unit}".strip()
        lines.append(f"| {row.what} | {row.ours} | {row.peer} | {value} | {_budget(row)} |")
    notes = [f"- {row.what}: {row.note}" for row in rows if row.note]
    return "\n".join(lines + ([""] + notes if notes else [])) + "\n"


def _budget(row: Row) -> str:
    """The last two cells of a row."""
    if row.budget is None:
        return "none | "
    return f"<= {row.budget:g} {row.unit}".rstrip() + f" | {'yes' if row.is_met else '**no**'}"
