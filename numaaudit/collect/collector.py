"""What a collector is, and what an attempt to collect gives. To add a collector, add a file to ``collectors/``."""

from __future__ import annotations

import importlib
from typing import Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.plugins import discover

NOT_HERE = "not on this host"  # the reason of what is absent, as most hosts lack most drivers
Choose = Callable[[Tree, Sequence[str]], Sequence[str]]
Operands = Callable[[Tree, Sequence[int]], Sequence[str]]  # from what is known of these processes


class Collector(NamedTuple):
    """Evidence of one kind.

    ``scope`` says what the globs are relative to: the ``host``'s root, the ``/proc/PID`` of each selected ``process``, the
    ``/proc/PID/task/TID`` of each ``thread`` of it, or each directory from a process's ``cgroup`` up to its root. Globs know
    ``*``, ``?`` and ``{a,b}``. A pattern without ``*`` that is not there is recorded as absent, except in a cgroup, where every
    kernel has other files. Of a process the only links are ``fd/*``; then the ``*`` of ``files`` is the name of a link kept.
    """

    files: Tuple[str, ...] = ()
    links: Tuple[str, ...] = ()  # symbolic links whose target is the evidence
    devices: Tuple[str, ...] = ()  # device nodes, of which only the existence and the numbers are kept
    commands: Tuple[Tuple[str, ...], ...] = ()
    scope: str = "host"
    only_if: Optional[Choose] = None  # of the paths that match (below ``root/``), those worth keeping
    keep_target: Optional[Callable[[str], bool]] = None  # of a process's links, the targets worth keeping
    locks_memory: bool = False  # reading takes the process's mmap_lock: it waits for, and holds up, the process
    walks_pages: bool = False  # reading walks all page tables: whole only below the guard, else just the first bytes
    gpu_tool: bool = False  # commands that ask an accelerator's driver: run last, side by side
    operands: Optional[Operands] = None  # the last word of the commands: each is run once for each, and not at all without any
    window_ends: Tuple[str, ...] = ()  # of ``files``, those read again at both ends of a window (collect/window.py)
    window_ticks: Tuple[str, ...] = ()  # the same, and at every reading in between: short files of counters

    def argvs(self, tree: Tree, pids: Sequence[int]) -> Tuple[Tuple[str, ...], ...]:
        """The commands, with their operands."""
        if self.operands is None:
            return self.commands
        return tuple(argv + (operand,) for argv in self.commands for operand in self.operands(tree, pids))


class Read(NamedTuple):
    """One attempt to get evidence: ``data`` of a file, or the target of a ``link``. Between processes it is a plain tuple."""

    collector: str
    path: str  # below the host's root, without /
    outcome: str = "ok"
    data: Optional[bytes] = None
    link: Optional[str] = None
    reason: str = ""
    duration_ms: float = 0.0


def purpose(name: str) -> str:
    """Why a collector reads what it reads: the first line of its file."""
    module = importlib.import_module("numaaudit.collect.collectors.%s" % name)
    return (module.__doc__ or "").partition("\n")[0].replace("``", "")


def collectors() -> Dict[str, Collector]:
    """All collectors by name, in order of name."""
    return discover("numaaudit.collect.collectors", "COLLECTOR", Collector)


def declared_paths(units: Mapping[str, Collector]) -> Tuple[str, ...]:
    """The globs of all that is collected of the host, below its root."""
    return tuple(path for unit in of_scope(units, "host").values() for path in unit.files + unit.links + unit.devices)


def of_scope(units: Mapping[str, Collector], scope: str) -> Dict[str, Collector]:
    """Those of one scope, by name."""
    return {name: unit for name, unit in units.items() if unit.scope == scope}
