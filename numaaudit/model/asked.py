"""Which CPUs somebody asked for: the launcher's log, else a numactl or taskset above the process, else Slurm's environment."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, IdSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.model.evidence import Evidence, cite_entry
from numaaudit.model.sections.claims import Claims
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Rank
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline

S = TypeVar("S", bound=IdSet)

_CPUS = {"numactl": ("-C", "--physcpubind"), "taskset": ("-c", "--cpu-list")}
_NODES = ("-N", "--cpunodebind")
_FLAGS = ("-a", "--all", "-b", "--balancing", "-l", "--localalloc", "-p", "--pid", "--all-tasks")  # numactl(8), taskset(1)


class Asked(NamedTuple):
    """CPUs that were asked for, by whom, and the line that says so."""

    cpus: CpuSet
    by: str
    evidence: Evidence


def asked_for(
    rank: Rank, claims: Claims, processes: Processes, cmdlines: tuple[Found[ProcCmdline], ...], topology: Topology
) -> Asked | None:
    """The last claim for the rank, else the nearest command line, else the environment; None where none of them names CPUs."""
    made = claims.last_mask(rank)
    if made and made.claim.cpus:
        return Asked(made.claim.cpus, made.claim.launcher, made.evidence)
    files = {found.file.path: found.file for found in cmdlines}
    for process in lineage(rank.process, processes):
        file = files.get(f"root/proc/{process.pid}/cmdline")
        found = cpus_of_argv(process.argv, topology)
        if found and file:
            return Asked(found[1], found[0], Evidence(file, None, " ".join(process.argv)))
    environ, bound = rank.process.environ, cpus_of_environ(rank.process.variables)
    return Asked(bound, "srun", cite_entry(environ.file, "SLURM_CPU_BIND_LIST")) if bound and not isinstance(environ, Gap) else None


def cpus_of_environ(variables: Mapping[str, str]) -> CpuSet | None:
    """The mask that srun chose for this task: the list has one for each local rank, and begins again after its end (srun(1))."""
    masks, local_rank = variables.get("SLURM_CPU_BIND_LIST", "").split(","), variables.get("SLURM_LOCALID", "")
    if not variables.get("SLURM_CPU_BIND_TYPE", "").startswith("mask_cpu") or not re.fullmatch(r"[0-9]{1,6}", local_rank):
        return None
    try:
        return CpuSet.from_mask(masks[int(local_rank) % len(masks)]) or None
    except ParseError:
        return None


def lineage(process: Process, processes: Processes) -> Iterator[Process]:
    """The process, its parent, and so on as far as the evidence goes."""
    seen: set[int] = set()
    current: Process | None = process
    while current and current.pid not in seen:
        seen.add(current.pid)
        yield current
        current = processes.by_pid(current.ppid) if current.ppid is not None else None


def cpus_of_argv(argv: tuple[str, ...], topology: Topology) -> tuple[str, CpuSet] | None:
    """(tool, CPUs) of the last numactl or taskset in a command line, which overrides those before it; plain lists only."""
    for at in reversed(range(len(argv))):
        tool = argv[at].rpartition("/")[2]
        if tool not in _CPUS:
            continue
        cpus = _ids(CpuSet, _value(argv[at + 1 :], _CPUS[tool]))
        numa_nodes = _ids(NodeSet, _value(argv[at + 1 :], _NODES)) if tool == "numactl" else None
        asked = cpus or (topology.cpus_of(numa_nodes) if numa_nodes else None)
        if asked:
            return tool, asked
    return None


def _value(words: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    """The value of an option: ``-C 0-3``, ``--physcpubind=0-3`` or ``--physcpubind 0-3``, before the command begins."""
    for at, word in enumerate(words):
        name, joined, value = word.partition("=")
        if name in names:
            return value if joined else next(iter(words[at + 1 :]), None)
        if not word.startswith("-") and not (at and _takes_value(words[at - 1])):
            return None
    return None


def _takes_value(word: str) -> bool:
    return word.startswith("-") and "=" not in word and word not in _FLAGS


def _ids(kind: type[S], text: str | None) -> S | None:
    try:
        return kind.parse(text) if text else None
    except ParseError:
        return None
