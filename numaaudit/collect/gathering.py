"""What all steps of one collection share: the options, the time that is left, and what was gathered so far."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Mapping, Sequence

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.collector import Collector, Read, collectors
from numaaudit.collect.exec import Result, run_commands
from numaaudit.collect.host_files import host_tree
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.reader import Stopped, Work, read_each
from numaaudit.collect.recorder import Recorder
from numaaudit.collect.schedule import schedule_of
from numaaudit.core.procfs import is_id

COMMANDS_S = 15.0  # for all ordinary commands, and again for all GPU tools

Stop = Callable[[], bool]
Progress = Callable[[str], None]


class Gathering:
    """``until`` is the total deadline by the monotonic clock, ``readings`` the times of the first and each later reading.

    ``schedule`` is that of a window; UsageError for one that makes no sense.
    """

    def __init__(self, options: CollectOptions, stop: Stop, path: str, progress: Progress) -> None:
        self.options = options
        self.stop = stop
        self.path = path
        self.progress = progress
        self.until = time.monotonic() + options.deadline_s
        self.schedule = schedule_of(options)
        self.tree = host_tree(options.root)
        self.collectors = collectors()
        self.record = Recorder()
        self.readings: List[str] = []

    def read(self, work: Work, items: Sequence[Any], seconds: float, below: str = "root/") -> List[Stopped]:
        """Keep what the work gives for each item; what did not finish is for the caller to record."""
        unfinished = []
        for event in read_each(work, items, seconds, self.until, self.stop):
            if isinstance(event, Stopped):
                unfinished.append(event)
                continue
            for result in event.results:
                self.record.add(Read(*result), below)
        return unfinished

    def collected(self, pid: int, name: str) -> str:
        """The text of a process's file that was read before; empty if it was not."""
        file = Tree(self.record.members).get("root/proc/%d/%s" % (pid, name))
        return "" if isinstance(file, Gap) else file.text

    def commands(self, step: str, units: Mapping[str, Collector]) -> None:
        """Run the commands of some collectors side by side."""
        collected = Tree(self.record.members)
        pids = [int(name) for name in collected.names("root/proc") if is_id(name)]
        owners = {argv: name for name, unit in units.items() for argv in unit.argvs(collected, pids)}
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
