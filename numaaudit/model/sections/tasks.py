"""Which task each text is about: by its path below /proc, else by what a pasted text or the command line above it says."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from numaaudit.bundle.tree import File, Tree
from numaaudit.model.join import Joiner
from numaaudit.model.pick import Conflict
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.parse.parsers.numastat import Numastat, ProcessMemory
from numaaudit.parse.parsers.proc_status import ProcStatus
from numaaudit.parse.parsers.taskset import Taskset

_TASK = re.compile(r"(?:again/\d+/)?root/proc/(\d+)/(?:task/(\d+)/)?[a-z_]+$")
_IN_COMMAND = re.compile(r"/proc/(\d{1,9})/(?:task/(\d{1,9})/)?(?:status|numa_maps)\b")
_NOTHING = ProcStatus._make([None] * len(ProcStatus._fields))

Key = tuple[int | None, int | None]  # PID and TID


class Excerpt(NamedTuple):
    """A pasted text of a task that it does not name; one of the two."""

    status: Found[ProcStatus] | None = None
    maps: Found[NumaMaps] | None = None


class Tasks(NamedTuple):
    """``mains``: the process's own status by PID, ``threads``: those of threads by PID and TID, ``maps``: numa_maps by PID.

    ``policies`` of threads whose own numa_maps was read; ``memory`` by PID after ``numastat -p``; ``pasted``: the PIDs of which
    there are pasted excerpts only.
    """

    mains: dict[int, Found[ProcStatus]]
    threads: dict[int, dict[int, Found[ProcStatus]]]
    maps: dict[int, Found[NumaMaps]]
    policies: dict[Key, str | None]
    memory: dict[int, ProcessMemory]
    excerpts: tuple[Excerpt, ...] = ()
    pasted: frozenset[int] = frozenset()
    conflicts: tuple[Conflict, ...] = ()


def task_of(path: str) -> Key:
    """PID and TID in ``root/proc/7/task/8/stat``; TID None for the process's own file, both None for another path."""
    match = _TASK.match(path)
    return (int(match[1]), int(match[2]) if match[2] else None) if match else (None, None)


def join(
    tree: Tree,
    statuses: tuple[Found[ProcStatus], ...],
    maps: tuple[Found[NumaMaps], ...],
    tasksets: tuple[Found[Taskset], ...],
    numastats: tuple[Found[Numastat], ...],
) -> Tasks:
    """A status is believed before taskset; of a process that neither shows, the other texts still tell that it is there."""
    mains, threads, nameless = _statuses(statuses)
    of_process, policies, rest = _numa_maps(tree, maps)
    set_by_tool = dict(_affinities(tasksets))
    memory = {each.pid: (each, found.file) for found in numastats for each in found.record.processes}
    others = {pid: file for pid, (_, file) in memory.items()}
    others |= {pid: found.file for pid, found in of_process.items() if task_of(found.file.path) == (None, None)}
    others |= {
        pid: next(iter(tids.values())).file for pid, tids in threads.items() if task_of(next(iter(tids.values())).file.path) == (None, None)
    }
    named = {**{pid: _bare(pid, file) for pid, file in others.items()}, **set_by_tool, **mains}
    nameless = _given_away(nameless, named)
    return Tasks(
        named,
        threads,
        of_process,
        policies,
        {pid: each for pid, (each, _) in memory.items()},
        (*(Excerpt(status=found) for found in nameless), *(Excerpt(maps=found) for found in rest)),
        frozenset(pid for pid, found in named.items() if task_of(found.file.path) == (None, None)),
        tuple(_conflicts(mains, set_by_tool)),
    )


# -- status


def _statuses(
    statuses: Iterable[Found[ProcStatus]],
) -> tuple[dict[int, Found[ProcStatus]], dict[int, dict[int, Found[ProcStatus]]], list[Found[ProcStatus]]]:
    """Those of processes, those of threads, and those of nobody knows whom."""
    mains: dict[int, Found[ProcStatus]] = {}
    threads: dict[int, dict[int, Found[ProcStatus]]] = {}
    nameless = []
    for found in statuses:
        pid, tid = _owner(found)
        if pid is None:
            nameless.append(found)
        elif tid is not None:
            threads.setdefault(pid, {})[tid] = found
        else:
            mains[pid] = _joined(mains[pid], found) if pid in mains and _is_pasted(found) else found
    for pid, tids in threads.items():
        if pid in mains and _is_pasted(mains[pid]):
            tids.setdefault(pid, mains[pid])
    return mains, threads, nameless


def _owner(found: Found[ProcStatus]) -> Key:
    """By path, by ``Tgid`` and ``Pid``, by the command line that printed it. A pasted main thread's is its process's."""
    if not _is_pasted(found):
        return task_of(found.file.path)
    pid, tid = found.record.tgid or found.record.pid, found.record.pid
    if pid is None:
        pid, tid = _in_command(found)
    return pid, None if tid == pid else tid


def _is_pasted(found: Found[Any]) -> bool:
    return task_of(found.file.path) == (None, None)


def _in_command(found: Found[Any]) -> Key:
    match = _IN_COMMAND.search(found.command or "")
    return (int(match[1]), int(match[2]) if match[2] else None) if match else (None, None)


def _joined(first: Found[ProcStatus], second: Found[ProcStatus]) -> Found[ProcStatus]:
    """Two excerpts of one task: what the first lacks is taken from the second."""
    missing = {name: value for name, value in second.record._asdict().items() if getattr(first.record, name) is None}
    return Found(first.record._replace(**missing), first.file, first.reading)


def _bare(pid: int, file: File) -> Found[ProcStatus]:
    """A process of which only the PID is known."""
    return Found(_NOTHING._replace(pid=pid, tgid=pid), file)


def _given_away(nameless: list[Found[ProcStatus]], named: dict[int, Found[ProcStatus]]) -> list[Found[ProcStatus]]:
    """What is left once an excerpt without a PID is given to the one process of its text, if that has the same mask."""
    left = []
    for found in nameless:
        there = [pid for pid, other in named.items() if other.file.path == found.file.path]
        same = [pid for pid in there if found.record.allowed_cpus and named[pid].record.allowed_cpus == found.record.allowed_cpus]
        if len(there) == len(same) == 1:
            named[same[0]] = _joined(named[same[0]], found)
        else:
            left.append(found)
    return left


# -- taskset


def _affinities(tasksets: Iterable[Found[Taskset]]) -> Iterator[tuple[int, Found[ProcStatus]]]:
    """The mask of each PID as a status that says nothing else."""
    for found in tasksets:
        for each in found.record.affinities:
            yield each.pid, Found(_NOTHING._replace(pid=each.pid, tgid=each.pid, allowed_cpus=each.cpus), found.file)


def _conflicts(mains: dict[int, Found[ProcStatus]], others: dict[int, Found[ProcStatus]]) -> Iterator[Conflict]:
    """Between status and taskset; the mask may have been changed between the two."""
    for pid in sorted(mains.keys() & others.keys()):
        used, other = mains[pid].record.allowed_cpus, others[pid].record.allowed_cpus
        if used is not None and used != other:
            yield Conflict(f"pid:{pid}", "allowed_cpus", ((str(used), "procfs"), (str(other), "taskset")))


# -- numa_maps


def _numa_maps(
    tree: Tree,
    maps: Iterable[Found[NumaMaps]],
) -> tuple[dict[int, Found[NumaMaps]], dict[Key, str | None], list[Found[NumaMaps]]]:
    """Those of processes, the policy in each task's, and those of nobody knows whom. Later readings are left out."""
    of_process: dict[int, Found[NumaMaps]] = {}
    policies: dict[Key, str | None] = {}
    nameless = []
    for found in maps:
        pid, tid = _in_command(found) if _is_pasted(found) else task_of(found.file.path)
        if pid is None:
            nameless.append(found)
        elif found.reading == 0:
            policies[pid, pid if tid is None else tid] = found.record.policy.text if found.record.policy else None
            if tid is None:
                of_process[pid] = _as_shown(found, tree)
    return of_process, policies, nameless


def _as_shown(found: Found[NumaMaps], tree: Tree) -> Found[NumaMaps]:
    """Partial where the command line shows a part of the file only, or the collector kept the first line's policy as a line."""
    gap = tree.gaps.get(found.file.path)
    if not found.is_part and (gap is None or gap.kind != "cut"):
        return found
    return Found(found.record._replace(is_partial=True), found.file, found.reading, found.command)


JOINER = Joiner(join)
