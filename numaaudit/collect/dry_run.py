"""``collect --dry-run``: what would be read and run, and why. It lists names; of contents it reads what choosing processes takes."""

from __future__ import annotations

import os
import re
import time
from typing import Iterator, List, Mapping, Pattern, Sequence

from numaaudit.bundle.redact import RULES
from numaaudit.collect.collector import Collector, collectors, purpose
from numaaudit.collect.exec import find_program, safe_folders
from numaaudit.collect.gathering import Stop
from numaaudit.collect.host_files import host_tree
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.schedule import schedule_of
from numaaudit.collect.selection import select
from numaaudit.core.durations import format_seconds

_WIDTH = 80
_COUNT_WIDTH = 12
_BLANKS = re.compile(r"(?<= )")
_SEPARATORS = re.compile(r"(?<=[,/])")  # in a pattern, that may be longer than a line
_SCOPES = {
    "host": ("Files of the host:", "/"),
    "process": ("Files of each process:", "/proc/PID/"),
    "thread": ("Files of each thread:", "/proc/PID/task/TID/"),
    "cgroup": ("Files of each cgroup from a process's own up to the root:", ""),
}
_PAGES = {
    "sample": "numa_maps whole where at most 1 GiB is resident, else its first 64 bytes, maps, and where random pages are (move_pages(2))",
    "full": "numa_maps whole, at about 9 ms per GiB during which the process waits",
    "none": "the first 64 bytes of numa_maps: the policy",
}


def dry_run(options: CollectOptions, stop: Stop, path: str) -> List[str]:
    """The lines for people, about 80 columns wide. Errors as of selection; ``path`` is the PATH to find tools in."""
    reasons = select(options, time.monotonic() + options.deadline_s, stop).reasons
    plan = _Plan(options, list(reasons), path)
    looked_at = "{stat,statm,cgroup,fd,cmdline}" if options.match else "{stat,statm,cgroup,fd}"
    return [
        "No evidence was read, no command was run, nothing was written; at most",
        "/proc/PID/%s were looked at, to choose processes." % looked_at,
        *(["Names of pods were looked up in /var/log/pods and /var/lib/kubelet/pods/*/etc-hosts."] if options.pod else []),
        *plan.processes(reasons),
        *(line for scope in _SCOPES for line in plan.files(scope)),
        *plan.commands(),
        *plan.logs(),
        *plan.window(),
        *_redactions(options),
    ]


class _Plan:
    """One collection that is not done."""

    def __init__(self, options: CollectOptions, pids: Sequence[int], path: str) -> None:
        self._options = options
        self._pids = pids
        self._folders = safe_folders(path)
        self._tree = host_tree(options.root)
        self._collectors = collectors()

    def processes(self, reasons: Mapping[int, str]) -> Iterator[str]:
        yield from ("", "Processes: %d" % len(reasons))
        for pid, why in reasons.items():
            yield from _hanging("%7d  " % pid, why)

    def files(self, scope: str) -> Iterator[str]:
        """The patterns of each collector of a scope, with the number of files that have such a name now."""
        units = {name: unit for name, unit in self._collectors.items() if unit.scope == scope and not unit.commands}
        title, folder = _SCOPES[scope]
        yield from ("", title if scope == "host" or self._pids else title + " none, as no process is chosen")
        for name, unit in units.items() if scope == "host" or self._pids else ():
            yield from _why(name)
            if unit.walks_pages:
                yield from _hanging(" " * _COUNT_WIDTH + "  ", _PAGES[self._options.pages if scope == "process" else "none"])
            for pattern in unit.files + unit.links + unit.devices:
                yield from _hanging(self._count(unit, pattern).rjust(_COUNT_WIDTH) + "  ", folder + pattern, _SEPARATORS)

    def _count(self, unit: Collector, pattern: str) -> str:
        if unit.scope == "cgroup":
            return "where there"
        places = {"host": ["root/"], "process": ["root/proc/%d/" % pid for pid in self._pids]}
        below = places.get(unit.scope) or ["root/proc/%d/task/[0-9]*/" % pid for pid in self._pids]
        number = sum(len(self._tree.glob(place + pattern)) for place in below)
        if not number:
            return "none here"
        return ("at most %d" if unit.only_if or unit.keep_target else "%d") % number

    def commands(self) -> Iterator[str]:
        yield from ("", "Commands:" if self._options.root == "/" else "Commands: none is run, as the root is not that of this host.")
        for name, unit in self._collectors.items():
            yield from _why(name) if unit.commands else ()
            for argv in unit.argvs(self._tree, self._pids):
                program = find_program(argv[0], self._folders) or "not in PATH"
                yield from _hanging("    ", "%s: %s" % (" ".join(argv), program))

    def logs(self) -> Iterator[str]:
        yield from ("", "Logs:") if self._options.logs else ()
        for log in self._options.logs:
            yield from _hanging("    ", log if os.path.exists(log) else log + ": not there", _SEPARATORS)
        if self._options.kubectl_pods:
            yield from ("", "List of pods, of which those of the processes are kept:")
            yield from _hanging("    ", self._options.kubectl_pods, _SEPARATORS)

    def _again(self, *fields: str) -> Iterator[str]:
        for unit in self._collectors.values():
            for pattern in (pattern for field in fields for pattern in getattr(unit, field)):
                yield from _hanging("    ", pattern + " of each cgroup" if unit.scope == "cgroup" else "/" + pattern, _SEPARATORS)

    def window(self) -> Iterator[str]:
        """What is read more than once, and when."""
        schedule = schedule_of(self._options)
        if not schedule:
            return
        yield from ("", "Read again at both ends of a window of %s:" % format_seconds(schedule.duration_s))
        yield from self._again("window_ends", "window_ticks")
        yield "    /proc/PID/stat"
        yield "    /proc/PID/task/TID/stat"
        yield from ("", "And every %s in between:" % format_seconds(schedule.every_s))
        yield from self._again("window_ticks")
        yield "    /proc/PID/task/TID/stat"


def _why(name: str) -> Iterator[str]:
    yield from _hanging("  ", "%s: %s" % (name, purpose(name)))


def _redactions(options: CollectOptions) -> Iterator[str]:
    yield from ("", "What is kept of what is read; the rest never leaves memory:")
    for rule in RULES:
        yield from _hanging("    ", "%s: %s" % (rule.files, rule.kept))
    yield "    of all else, everything"
    if options.pseudonyms:
        yield from ("", "Names of hosts, accounts, pods, containers and paths would be replaced by", "pseudonyms.")
    yield from ("", "numaaudit explain what-is-kept prints the exact lists.")


def _hanging(head: str, text: str, breaks: Pattern[str] = _BLANKS) -> Iterator[str]:
    """A text after ``head``, in lines of 80 columns where it has breaks enough."""
    line = head
    for piece in breaks.split(text):
        if len(line) + len(piece.rstrip()) > _WIDTH and line.strip():
            yield line.rstrip()
            line = " " * len(head)
        line += piece
    yield line.rstrip()
