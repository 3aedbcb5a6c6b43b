"""``collect`` of real processes like those of R300: its CPU time beside one cat of the same files, its time beside the runbook's script."""

import contextlib
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

from measure import BUILD, ENVIRON, NUMAAUDIT, Row, Run, Settings, alternate, ms, run
from target import Target

PROCESSES, THREADS, MAPPINGS = 8, 300, 3_000
_BUNDLE = BUILD / "collected.tar.gz"


def measure(settings: Settings) -> Iterator[Row]:
    stubs = _stub_tools(BUILD / "stubs")
    environ = {**ENVIRON, "PATH": f"{stubs}:{os.environ['PATH']}"}
    with contextlib.ExitStack() as stack:
        pids = [str(stack.enter_context(Target(THREADS, MAPPINGS)).pid) for _ in range(PROCESSES)]
        command = (*NUMAAUDIT, "collect", "-o", str(_BUNDLE), *(f"--pid={pid}" for pid in pids))
        collect_once(command, environ)
        same_files = ("cat", *_files_of(_BUNDLE))
        runbook = ("sh", str(Path(__file__).parent / "peers" / "runbook.sh"), *pids)
        found = alternate(
            settings.rounds,
            collect=lambda: collect_once(command, environ),
            cat=lambda: run(same_files, exit_codes=(0, 1)),  # 1: some of sysfs can be listed and not read
            runbook=lambda: run(runbook, environ),
        )
    ours, cat, runbook_run = found["collect"], found["cat"], found["runbook"]
    what = f"`collect` of {PROCESSES} x {THREADS} threads x {MAPPINGS:,} mappings"
    yield Row(
        f"{what}, CPU time",
        ms(ours.cpu_s),
        f"`cat` of the same {len(same_files) - 1:,} files: {ms(cat.cpu_s)}",
        ours.cpu_s / cat.cpu_s,
        "x",
        3,
    )
    ratio = ours.wall_s / runbook_run.wall_s
    yield Row(f"{what}, time, GPU tools of 1 s", ms(ours.wall_s), f"runbook script: {ms(runbook_run.wall_s)}", ratio, "x", 1.1)


def collect_once(command: tuple[str, ...], environ: dict[str, str]) -> Run:
    _BUNDLE.unlink(missing_ok=True)
    return run(command, environ)


def _files_of(bundle: Path) -> list[str]:
    """The files of this host that a bundle has, once for each reading."""
    with tarfile.open(bundle) as members:
        names = [member.name.partition("root/")[2] for member in members if member.isfile() and "root/" in member.name]
    return [f"/{name}" for name in names if not name.startswith("dev/")]


def _stub_tools(folder: Path) -> Path:
    """An nvidia-smi that takes a second and prints nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / "nvidia-smi"
    tool.write_text("#!/bin/sh\nsleep 1\n")
    tool.chmod(0o755)
    return folder
