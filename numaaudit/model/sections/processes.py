"""The processes of the input with their threads: what they may use, and what they do use.

``/proc/PID/status`` has the masks of one thread only (proc_pid_status(5)); every thread has its own below ``task/``.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.cgroup_ids import container_ids
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.procfs import Stat
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.tasks import Excerpt, Tasks, task_of
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.parse.parsers.numastat import ProcessMemory
from numaaudit.parse.parsers.page_sample import PageSample
from numaaudit.parse.parsers.proc_cmdline import ProcCmdline
from numaaudit.parse.parsers.proc_environ import ProcEnviron
from numaaudit.parse.parsers.proc_status import ProcStatus


class Thread(NamedTuple):
    """A thread. Ticks are ``SC_CLK_TCK``; ``cpu_ticks_delta`` None: there is one reading only."""

    tid: int
    comm: str | None
    allowed_cpus: CpuSet | None
    effective_cpus: CpuSet | None  # cut by the process's cpuset and by what is online
    last_cpu: int | None
    cpu_ticks: int | None
    cpu_ticks_delta: int | None
    start_ticks: int | None
    policy: str | None
    file: File | None
    state: str | None = None  # the letter of /proc/PID/stat: R runs or waits for a CPU

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line with its mask."""
        return (cite(self.file, "Cpus_allowed_list", "Cpus_allowed"),) if self.file else ()


class Process(NamedTuple):
    """A process. ``maps`` is its numa_maps, or the gap that says why there are none; ``devices`` are open device files."""

    pid: int
    ns_pids: tuple[int, ...]
    ppid: int | None
    comm: str | None
    argv: tuple[str, ...]
    environ: Found[ProcEnviron] | Gap
    cgroup_path: str | None
    container: str | None
    allowed_cpus: CpuSet | None
    effective_cpus: CpuSet | None
    allowed_mems: NodeSet | None
    start_ticks: int | None
    devices: tuple[tuple[str, str], ...]  # (path of the link, its target), sorted
    maps: Found[NumaMaps] | Gap
    threads: tuple[Thread, ...]
    status: Found[ProcStatus]
    is_excerpt: bool = False  # of pasted text: what it does not show, such as further threads, can be there
    numastat: ProcessMemory | None = None
    sample: Found[PageSample] | Gap | None = None  # of its pages; None where none was made

    @property
    def bytes_by_node(self) -> dict[int, int] | None:
        """Bytes on each NUMA node by its whole numa_maps, else by ``numastat -p``; None where neither tells."""
        if isinstance(self.maps, Gap):
            return self.numastat.bytes_by_node if self.numastat else None
        return whole_bytes_by_node(self.maps.record)

    @property
    def reachable_cpus(self) -> CpuSet:
        """Where any of its threads may run, as far as that is known."""
        return CpuSet.union(cpus or CpuSet() for cpus in (self.effective_cpus, *(thread.effective_cpus for thread in self.threads)))

    @property
    def variables(self) -> dict[str, str]:
        """The kept part of its environment as it was at exec; empty where it could not be read."""
        return {} if isinstance(self.environ, Gap) else dict(reversed(self.environ.record.variables))

    @property
    def policy(self) -> str | None:
        """The memory policy for its next allocation: that of the first mapping, which is program text without one of its own."""
        return None if isinstance(self.maps, Gap) else policy_text(self.maps.record)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line with the main thread's mask."""
        return (cite(self.status.file, "Cpus_allowed_list", "Cpus_allowed", f"pid {self.pid}", f"PID {self.pid}"),)


class Processes(NamedTuple):
    """All processes, by PID ascending; PIDs are those of the collector's namespace. ``excerpts``: pasted ones without a PID."""

    all: tuple[Process, ...]
    gaps: tuple[Gap, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    def by_pid(self, pid: int) -> Process | None:
        return next((process for process in self.all if process.pid == pid), None)

    def by_any_pid(self, pid: int) -> list[Process]:
        """Processes that have this PID in some PID namespace."""
        return [process for process in self.all if pid == process.pid or pid in process.ns_pids]


def join(
    tree: Tree,
    topology: Topology,
    cgroups: Cgroups,
    manifest: Manifest | None,
    tasks: Tasks,
    stats: tuple[Found[Stat], ...],
    cmdlines: tuple[Found[ProcCmdline], ...],
    environs: tuple[Found[ProcEnviron], ...],
    samples: tuple[Found[PageSample], ...],
) -> Processes:
    """One Process for every main status, its threads from ``task/``."""
    ticks = _Ticks(stats)
    by_path = {found.file.path: found for kind in (cmdlines, environs, samples) for found in kind}
    made = []
    for pid, main in sorted(tasks.mains.items()):
        limits = (cgroups.effective_cpus(pid), topology.online)
        # our collector reads every thread's policy and keeps those that differ from the main thread's
        main_policy = tasks.policies.get((pid, pid)) if manifest else None
        threads = tuple(
            _thread((pid, tid), found, ticks, tasks.policies.get((pid, tid), main_policy), limits)
            for tid, found in tasks.threads.get(pid, {}).items()
        )
        made.append(_process(tree, (pid, main), threads, by_path, limits, (tasks, cgroups, ticks)))
    gaps = [process.maps for process in made if isinstance(process.maps, Gap)]
    gaps += [gap for maps in (*tasks.maps.values(), *(each.maps for each in tasks.excerpts if each.maps)) if (gap := _gap_in(maps))]
    return Processes(tuple(made), tuple(gaps), tasks.excerpts, tasks.conflicts)


def _gap_in(maps: Found[NumaMaps]) -> Gap | None:
    """Why its sizes do not add up to those of the process."""
    if maps.record.is_partial and maps.file.path.startswith("pasted/"):
        return Gap("cut", maps.file.path, "only a part of a numa_maps is shown")
    if any(total.unsized_pages_by_node for total in maps.record.totals):
        return Gap("absent", maps.file.path, "the kernel did not print the size of the pages (before Linux 4.0)")
    return None


def whole_bytes_by_node(maps: NumaMaps) -> dict[int, int] | None:
    """Bytes on each NUMA node; None of a part of the file, and where the kernel did not print the size of pages."""
    if maps.is_partial or any(total.unsized_pages_by_node for total in maps.totals):
        return None
    return maps.bytes_by_node()


def policy_text(maps: NumaMaps) -> str | None:
    """The task's policy as the kernel prints it; None for a task without mappings."""
    return maps.policy.text if maps.policy else None


class _Ticks:
    """CPU time of processes and threads in the first and the last reading."""

    def __init__(self, stats: Iterable[Found[Stat]]) -> None:
        self.first: dict[tuple[int | None, int | None], Stat] = {}
        self.last: dict[tuple[int | None, int | None], Stat] = {}
        for found in stats:
            key = task_of(found.file.path)
            if found.reading == 0:
                self.first[key] = found.record
            else:
                self.last[key] = found.record

    def delta(self, key: tuple[int | None, int | None]) -> int | None:
        """Ticks between two readings of the same task; None if it was replaced or read once."""
        first, last = self.first.get(key), self.last.get(key)
        if first is None or last is None or first.start_ticks != last.start_ticks:
            return None
        return last.utime_ticks + last.stime_ticks - first.utime_ticks - first.stime_ticks


def _thread(
    task: tuple[int, int], found: Found[ProcStatus], ticks: _Ticks, policy: str | None, limits: tuple[CpuSet | None, ...]
) -> Thread:
    stat = ticks.first.get(task)
    return Thread(
        task[1],
        found.record.name,
        found.record.allowed_cpus,
        _effective(found.record.allowed_cpus, *limits),
        stat.last_cpu if stat else None,
        stat.utime_ticks + stat.stime_ticks if stat else None,
        ticks.delta(task),
        stat.start_ticks if stat else None,
        policy,
        found.file,
        stat.state if stat else None,
    )


def _process(
    tree: Tree,
    main: tuple[int, Found[ProcStatus]],
    threads: tuple[Thread, ...],
    by_path: dict[str, Found[Any]],
    limits: tuple[CpuSet | None, ...],
    around: tuple[Tasks, Cgroups, _Ticks],
) -> Process:
    (pid, status), (tasks, cgroups, ticks) = main, around
    record, folder = status.record, f"root/proc/{pid}"
    cgroup_path = cgroups.path_of_pid.get(pid)
    containers = container_ids(cgroup_path or "")
    cmdline, environ = (by_path.get(f"{folder}/{name}") for name in ("cmdline", "environ"))
    stat = ticks.first.get((pid, None))
    return Process(
        pid,
        record.ns_pids or (pid,),
        record.ppid,
        record.name,
        cmdline.record.argv if cmdline else (),
        environ or _gap(tree, f"{folder}/environ"),
        cgroup_path,
        containers[-1] if containers else None,
        record.allowed_cpus,
        _effective(record.allowed_cpus, *limits),
        record.allowed_mems,
        stat.start_ticks if stat else None,
        _devices(tree, folder),
        tasks.maps.get(pid) or _gap(tree, f"{folder}/numa_maps"),
        threads,
        status,
        pid in tasks.pasted,
        tasks.memory.get(pid),
        _sample(tree, pid, by_path, stat),
    )


def _sample(tree: Tree, pid: int, by_path: dict[str, Found[Any]], stat: Stat | None) -> Found[PageSample] | Gap | None:
    """That of this process, and not of one that had the PID before or after it."""
    path = f"samples/pages-{pid}.json"
    found = by_path.get(path)
    if found is None:
        result = tree.get(path)
        return result if isinstance(result, Gap) and result.kind != "absent" else None
    is_its = found.record.pid == pid and (stat is None or stat.start_ticks == found.record.start_ticks)
    return found if is_its else Gap("gone", path, "the sample is of another process")


def _effective(allowed: CpuSet | None, *limits: CpuSet | None) -> CpuSet | None:
    """A thread's mask, cut by the cpuset and by what is online."""
    if allowed is None:
        return None
    for limit in limits:
        if limit:
            allowed &= limit
    return allowed


def _gap(tree: Tree, path: str) -> Gap:
    result = tree.get(path)
    return result if isinstance(result, Gap) else Gap("unparsable", path, "not what the kernel prints there")


def _devices(tree: Tree, folder: str) -> tuple[tuple[str, str], ...]:
    """Open device files, from the links of ``fd/``."""
    links = ((path, tree.link(path)) for path in tree.glob(f"{folder}/fd/*"))
    return tuple((path, target) for path, target in links if isinstance(target, str) and target.startswith("/dev/"))


JOINER = Joiner(join)
