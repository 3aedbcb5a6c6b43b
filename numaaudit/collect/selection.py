"""Which processes are collected, and why."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from numaaudit.bundle.limits import LIMITS
from numaaudit.bundle.tree import read_at
from numaaudit.collect.closest import closest
from numaaudit.collect.devices import is_accelerator
from numaaudit.collect.groups import Group, job_group, named_groups, paths_of
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.processes import describe, list_pids
from numaaudit.collect.reader import Batch, Trying, read_each
from numaaudit.collect.slurm import DAEMON, step_of
from numaaudit.core.errors import CollectError, NothingSelectedError, ParseError, UsageError
from numaaudit.core.procfs import parse_stat

_LOOK_S = 2.0  # for one process: what is slower than this hangs


class Candidate(NamedTuple):
    """A process that may be selected. ``devices`` is None where its descriptors may not be seen.

    ``matches``: its command line or name does; ``is_alike``: its command line is ours.
    """

    pid: int
    ppid: int
    name: str
    cgroup: str
    has_memory: bool  # kernel threads and zombies have none
    devices: Optional[Tuple[str, ...]]
    matches: bool = False
    is_alike: bool = False


class Selection(NamedTuple):
    """PIDs with the reason for each, ascending; and how many processes were looked at and could not be seen into."""

    reasons: Mapping[int, str]
    looked_at: int = 0
    hidden: int = 0


def select(options: CollectOptions, until: float, stop: Callable[[], bool]) -> Selection:
    """Choose the processes. CollectError if that gives none, UsageError for options that make no sense."""
    grouped = options.cgroup or options.container or options.pod
    searches = options.match or grouped or options.all_processes or options.gpu_procs
    if options.host_only and (searches or options.pids):
        raise UsageError("--host-only collects no process, so it cannot be combined with a choice of processes")
    if options.host_only:
        return Selection({})
    if options.pids and not searches:
        return _named(options)
    candidates, looked_at = _look(options.root, _compiled(options.match), until, stop)
    others = _without_us(candidates) if options.root == "/" else candidates
    groups = list(named_groups(options, [one.cgroup for one in others.values()]))
    if options.root == "/" and not (searches or options.pids):
        job = job_group(os.environ, candidates[os.getpid()].cgroup) if os.getpid() in candidates else None
        groups += [job] if job else []
    reasons = dict.fromkeys(options.pids, "named by --pid")
    for pid, why in _chosen(options, others, groups):
        reasons.setdefault(pid, why)
    found = Selection(dict(sorted(reasons.items())), looked_at, sum(one.devices is None for one in candidates.values()))
    if not reasons and not stop():
        raise NothingSelectedError(_nothing(options, groups), _hint(options, others.values(), found))
    return found


def _named(options: CollectOptions) -> Selection:
    """The processes given by PID, of which at least one has to be there."""
    if not any(os.path.isdir(os.path.join(options.root, "proc", str(pid))) for pid in options.pids):
        missing = ", ".join(map(str, options.pids))
        raise CollectError("no such process: %s" % missing, "ps -e lists them; or choose by --match or --gpu-procs")
    return Selection(dict.fromkeys(sorted(options.pids), "named by --pid"))


def _compiled(text: str) -> Optional[re.Pattern[str]]:
    try:
        return re.compile(text) if text else None
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError("--match %s: not a regular expression: %s" % (text, error)) from None


def _look(root: str, expression: Optional[re.Pattern[str]], until: float, stop: Callable[[], bool]) -> Tuple[Dict[int, Candidate], int]:
    """Look at every process in a child, at the command line only where that decides: it takes the process's mmap_lock."""
    candidates: Dict[int, Candidate] = {}
    pids = list_pids(root)
    us = describe(root, os.getpid()) if root == "/" and step_of(os.environ) else None

    def work(pid: int) -> Iterator[Any]:
        candidate = _candidate(root, pid) if pid != os.getpid() else None  # the child itself
        if not candidate:
            return
        yield candidate
        if candidate.has_memory and (expression or (us and us.name.startswith(candidate.name))):
            yield Trying("proc/%d/cmdline" % pid)
            process = describe(root, pid)
            if process:
                matches = expression is not None and bool(expression.search(process.command) or expression.search(process.name))
                yield candidate._replace(matches=matches, is_alike=us is not None and us.command == process.command)

    for event in read_each(work, pids, _LOOK_S, until, stop):
        for result in event.results if isinstance(event, Batch) else ():
            candidates[result[0]] = Candidate(*result)
    return candidates, len(pids)


def _candidate(root: str, pid: int) -> Optional[Candidate]:
    try:
        folder = os.open(os.path.join(root, "proc", str(pid)), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        stat = parse_stat(_text("stat", folder))
        return Candidate(pid, stat.ppid, stat.comm, _text("cgroup", folder), not _text("statm", folder).startswith("0 "), _devices(folder))
    except ParseError:
        return None
    finally:
        os.close(folder)


def _text(name: str, folder: int) -> str:
    try:
        return read_at(name, folder, LIMITS.line_bytes).decode("utf-8", "backslashreplace")
    except OSError:
        return ""


def _devices(folder: int) -> Optional[Tuple[str, ...]]:
    try:
        fd = os.open("fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    held = set()
    try:
        for name in os.listdir(fd):
            try:
                held.add(os.readlink(name, dir_fd=fd))
            except OSError:
                continue  # closed meanwhile
    except OSError:
        return None
    finally:
        os.close(fd)
    return tuple(sorted(filter(is_accelerator, held)))


def _without_us(candidates: Mapping[int, Candidate]) -> Dict[int, Candidate]:
    """All but this process and its ancestors: a regular expression typed into a shell matches that shell.

    Of a job step that collects, the other tasks are us too, and the daemons of its steps are nobody's.
    """
    ours: Set[int] = set()
    pid = os.getpid()
    while pid not in ours:
        ours.add(pid)
        pid = candidates[pid].ppid if pid in candidates else pid
    return {pid: one for pid, one in candidates.items() if pid not in ours and not one.is_alike and one.name != DAEMON}


def _chosen(options: CollectOptions, candidates: Mapping[int, Candidate], groups: Sequence[Group]) -> Iterator[Tuple[int, str]]:
    by_default = not (options.pids or options.match or options.all_processes or groups)
    if options.match:
        yield from _matched(options.match, candidates)
    for one in candidates.values():
        group = next((each for each in groups if one.has_memory and each.has(one.cgroup)), None)
        if group:
            yield one.pid, "is in %s" % group.title
        elif (options.gpu_procs or by_default) and one.devices:
            yield one.pid, "holds %s" % ", ".join(one.devices)
        elif options.all_processes and one.has_memory:
            yield one.pid, "has memory, as asked for by --all"


def _matched(match: str, candidates: Mapping[int, Candidate]) -> Iterator[Tuple[int, str]]:
    roots = [one.pid for one in candidates.values() if one.matches]
    for pid in roots:
        yield pid, "matches %s" % match
    family = set(roots)
    for one in sorted(candidates.values()):
        ancestor = next((pid for pid in _ancestors(one.pid, candidates) if pid in roots), None)
        if ancestor is not None:
            family.add(one.pid)
            yield one.pid, "descends from %d" % ancestor
    cgroups = {candidates[pid].cgroup: pid for pid in sorted(family, reverse=True) if _is_own_cgroup(candidates[pid].cgroup)}
    for one in candidates.values():
        if one.devices and one.cgroup in cgroups:
            yield one.pid, "holds %s in the cgroup of %d" % (", ".join(one.devices), cgroups[one.cgroup])


def _ancestors(pid: int, candidates: Mapping[int, Candidate]) -> Iterator[int]:
    seen = {pid}
    while pid in candidates and candidates[pid].ppid not in seen:
        pid = candidates[pid].ppid
        seen.add(pid)
        yield pid


def _is_own_cgroup(cgroup: str) -> bool:
    """Whether it is more than the root, in which everything is."""
    return any(path != "/" for path in paths_of(cgroup))


def _nothing(options: CollectOptions, groups: Sequence[Group]) -> str:
    if options.match:
        return "no process matches %s" % options.match
    if groups:
        return "no process is in %s" % ", ".join(group.title for group in groups)
    return "no process holds an accelerator device"


def _hint(options: CollectOptions, candidates: Iterable[Candidate], found: Selection) -> str:
    holders = closest(options.match, sorted(one for one in candidates if one.devices), lambda one: one.name)
    if holders:
        known = "closest: " + ", ".join("--pid %d (%s)" % (one.pid, one.name) for one in holders)
    else:
        known = "none of %d processes holds an accelerator device" % found.looked_at
    if found.hidden:
        known += " (%d can only be looked into as root)" % found.hidden
    return known + "; to collect only the host: --host-only"
