"""One collection, from the selection to what a bundle holds. It reads and never writes, but for the bundle itself.

Order: processes, files of the host, ordinary commands, GPU tools, second reading. The last two may disturb or hang what they
ask, so they come when all else is safe.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence

import numaaudit
from numaaudit.bundle.archive import write_bundle
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Gap, Members, Tree
from numaaudit.collect import about
from numaaudit.collect.cgroups import Mounts, chain
from numaaudit.collect.collector import Collector, Read, collectors, of_scope
from numaaudit.collect.exec import Result, run_commands
from numaaudit.collect.host_files import HostReader, host_tree
from numaaudit.collect.log_files import name_logs, read_log
from numaaudit.collect.options import CollectOptions, arguments
from numaaudit.collect.process_files import ProcessReader, second_reading
from numaaudit.collect.reader import Stopped, Work, read_each
from numaaudit.collect.recorder import Recorder
from numaaudit.collect.selection import Selection, select
from numaaudit.core.errors import CollectError, ParseError, TargetExistsError, UsageError
from numaaudit.core.procfs import parse_stat

PROCESS_S = 10.0  # to read one process; a second is a lot
HOST_FILES_S = 10.0  # for one collector
COMMANDS_S = 15.0  # for all ordinary commands, and again for all GPU tools
READINGS_APART_S = 1.0  # CPU times count in ticks of 10 ms


class Collection(NamedTuple):
    """Evidence in memory: what the manifest says and what a bundle would hold."""

    manifest: Manifest
    members: Members
    selection: Selection

    def tree(self) -> Tree:
        return Tree(self.members, gaps=self.manifest.gaps())


Stop = Callable[[], bool]
Progress = Callable[[str], None]


def collect(
    options: CollectOptions,
    stop: Stop = lambda: False,
    path: str = os.defpath,
    progress: Progress = lambda _: None,
) -> Collection:
    """Collect what ``options`` ask for. ``path`` is the PATH to find tools in; ``progress`` is told of each step.

    CollectError if no process is selected, UsageError for an option that makes no sense. Once ``stop()`` is true the rest is
    recorded as not run.
    """
    if not options.deadline_s > 0:  # nor NaN
        raise UsageError("--deadline %s: not a number of seconds above 0" % options.deadline_s)
    return _Run(options, stop, path, progress).collect()


def bundle_name(manifest: Manifest, number: int = 1) -> str:
    """The name of a bundle that was given none: ``numaaudit-20261129T101500Z-1a2b.tar.gz``, with four digits of the host's id.

    A second one of the same second gets ``-2``.
    """
    time_utc = manifest.collected_at.replace("-", "").replace(":", "")
    return "numaaudit-%s-%s%s.tar.gz" % (time_utc, manifest.host_id[:4] or "0000", "-%d" % number if number > 1 else "")


def write(collection: Collection, path: str = "") -> str:
    """Write the bundle under ``path``, or under a new name in this directory; returns where it is.

    CollectError if it cannot be written there: then nothing is left there, and it is in a temporary folder if that can be.
    """
    try:
        return _write_in(os.path.dirname(path), collection, os.path.basename(path))
    except CollectError as error:
        saved = _save_elsewhere(collection)
        if saved is None:
            raise
        raise CollectError("%s; what was collected is in %s" % (error, saved), "move it where there is room") from None


def _save_elsewhere(collection: Collection) -> Optional[str]:
    """What a restart may destroy is not thrown away because a disk is full."""
    for folder in (os.environ.get("TMPDIR") or "/tmp", "/dev/shm"):
        try:
            return _write_in(folder, collection)
        except CollectError:
            continue
    return None


def _write_in(folder: str, collection: Collection, name: str = "") -> str:
    """Write the bundle under a name, by default one that is free; returns its path."""
    number = 1
    while True:
        path = os.path.join(folder, name or bundle_name(collection.manifest, number))
        try:
            write_bundle(path, collection.manifest, collection.members)
        except TargetExistsError:
            if name:
                raise
            number += 1
        else:
            return path


class _Run:
    def __init__(self, options: CollectOptions, stop: Stop, path: str, progress: Progress) -> None:
        self.options = options
        self.stop = stop
        self.path = path
        self.progress = progress
        self.until = time.monotonic() + options.deadline_s
        self.tree = host_tree(options.root)
        self.collectors = collectors()
        self.record = Recorder()
        self.readings: List[str] = []

    def collect(self) -> Collection:
        collected_at = about.now()
        self.progress("choosing processes")
        selection = select(self.options, self.until, self.stop)
        pids = list(selection.reasons)
        self._processes(pids)
        not_before = time.monotonic() + READINGS_APART_S
        self._host_files()
        self._cgroups(pids)
        self._logs()
        commands = {name: unit for name, unit in self.collectors.items() if unit.commands}
        self._commands("running tools", {name: unit for name, unit in commands.items() if not unit.gpu_tool})
        self._commands("running GPU tools", {name: unit for name, unit in commands.items() if unit.gpu_tool})
        self._second_reading(pids, not_before)
        return Collection(self._manifest(collected_at, selection), self.record.members, selection)

    def _read(self, work: Work, items: Sequence[Any], seconds: float, below: str = "root/") -> List[Stopped]:
        """Keep what the work gives for each item; what did not finish is for the caller to record."""
        unfinished = []
        for event in read_each(work, items, seconds, self.until, self.stop):
            if isinstance(event, Stopped):
                unfinished.append(event)
                continue
            for result in event.results:
                self.record.add(Read(*result), below)
        return unfinished

    def _processes(self, pids: Sequence[int]) -> None:
        self.progress("reading %d processes" % len(pids))
        self.readings += [about.now()] if pids else []
        reader = ProcessReader(self.options.root, self.collectors, self.options.pages)
        for event in self._read(reader, pids, PROCESS_S):
            self.record.miss("root/" + (event.trying or "proc/%d" % event.item), event.outcome, event.reason)
            for path in reader.after(event.item, event.trying):
                self.record.miss("root/" + path, "not-run", "no answer from %s, which comes before it" % event.trying)

    def _host_files(self) -> None:
        self.progress("reading the host")
        units = {name: unit for name, unit in of_scope(self.collectors, "host").items() if not unit.commands}
        for event in self._read(HostReader(self.options.root, units), list(units), HOST_FILES_S):
            unit = units[event.item]
            for pattern in (event.trying,) if event.trying else unit.files + unit.links + unit.devices:
                self.record.miss("root/" + pattern, event.outcome, event.reason, event.item)

    def _cgroups(self, pids: Sequence[int]) -> None:
        mounts = Mounts.of(self.tree.text("root/proc/mounts") or "")
        folders = {folder: None for pid in pids for folder in chain(self.tree, mounts, self._collected(pid, "cgroup"))}
        reader = HostReader(self.options.root, of_scope(self.collectors, "cgroup"))
        for event in self._read(reader.in_cgroup, list(folders), HOST_FILES_S):
            self.record.miss("root/" + event.item, event.outcome, event.reason)

    def _logs(self) -> None:
        logs = name_logs(self.options.logs)
        for event in self._read(read_log, logs, HOST_FILES_S, "logs/"):
            self.record.miss("logs/" + event.item.name, event.outcome, event.reason)

    def _commands(self, step: str, units: Mapping[str, Collector]) -> None:
        """Run the commands of some collectors side by side."""
        owners = {argv: name for name, unit in units.items() for argv in unit.commands}
        seconds = min(COMMANDS_S, self.until - time.monotonic())
        if self.options.root != "/":
            results = [Result(argv, "not-run", reason="the root is not that of this host") for argv in owners]
        elif self.stop() or seconds <= 0:
            results = [Result(argv, "not-run", reason="interrupted" if self.stop() else "no time was left") for argv in owners]
        else:
            self.progress(step)
            results = run_commands(list(owners), seconds, self.path, self.stop)
        for result in results:
            self.record.add_command(result, owners[result.argv])

    def _second_reading(self, pids: Sequence[int], not_before: float) -> None:
        if not pids:
            return
        self.progress("reading CPU times again")
        while time.monotonic() < min(not_before, self.until) and not self.stop():
            time.sleep(0.02)
        starts = {pid: _start_ticks(self._collected(pid, "stat")) for pid in pids}
        alive = [pid for pid in pids if starts[pid] is not None]
        self.readings.append(about.now())
        for event in self._read(partial(second_reading, self.options.root, starts), alive, PROCESS_S, "again/1/root/"):
            self.record.miss("again/1/root/proc/%d" % event.item, event.outcome, event.reason)

    def _collected(self, pid: int, name: str) -> str:
        """The text of a process's file that was read before; empty if it was not."""
        file = Tree(self.record.members).get("root/proc/%d/%s" % (pid, name))
        return "" if isinstance(file, Gap) else file.text

    def _manifest(self, collected_at: str, selection: Selection) -> Manifest:
        return Manifest(
            tool_version=numaaudit.__version__,
            rule_set=numaaudit.__version__,
            hostname=about.hostname(self.tree),
            host_id=about.host_id(self.tree),
            boot_id=about.boot_id(self.tree),
            collected_at=collected_at,
            readings=tuple(self.readings),
            clock_ticks_per_s=os.sysconf("SC_CLK_TCK"),
            page_size_bytes=os.sysconf("SC_PAGE_SIZE"),
            arguments=arguments(self.options),
            selection=tuple({"pid": pid, "why": why} for pid, why in selection.reasons.items()),
            collector=about.collector(self.tree),
            entries=self.record.entries(),
            commands=tuple(self.record.commands),
            redactions=dict(sorted(self.record.redactions.items())),
            interrupted=self.stop(),
        )


def _start_ticks(stat: str) -> Optional[int]:
    try:
        return parse_stat(stat).start_ticks
    except ParseError:
        return None
