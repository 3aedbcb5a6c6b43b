"""The cpuset chain: what each control group above a process asks for and gets.

cgroup v2: Documentation/admin-guide/cgroup-v2.rst (``cpuset.cpus`` empty means the parent's); v1:
Documentation/admin-guide/cgroup-v1/cpusets.rst. The files are at ``/sys/fs/cgroup<path>`` or, for v1, below
``/sys/fs/cgroup/cpuset<path>``.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.proc_cgroup import ProcCgroup

S = TypeVar("S", CpuSet, NodeSet)

MOUNT = "root/sys/fs/cgroup"
_EFFECTIVE_CPUS = ("cpuset.cpus.effective", "cpuset.effective_cpus")
_EFFECTIVE_MEMS = ("cpuset.mems.effective", "cpuset.effective_mems")

# Parts of paths, the first that is found wins (formats: cgroup paths of kubelet, runtimes, Slurm and systemd).
_OWNERS = (
    ("kubepods", "kubelet"),
    ("slurm", "Slurm"),
    ("docker", "Docker"),
    ("libpod", "Podman"),
    ("cri-containerd", "containerd"),
    ("crio", "CRI-O"),
    ("lxc", "LXC"),
    (".slice", "systemd"),
    (".service", "systemd"),
    (".scope", "systemd"),
)


class Cgroup(NamedTuple):
    """One control group. Requested sets are None where the file is empty or missing, effective ones where it is missing."""

    path: str
    cpus: CpuSet | None
    effective_cpus: CpuSet | None
    mems: NodeSet | None
    effective_mems: NodeSet | None
    cpus_file: File | None
    mems_file: File | None
    folder: str

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line with the CPUs it gives."""
        return (cite(self.cpus_file),) if self.cpus_file else ()

    @property
    def memory_evidence(self) -> tuple[Evidence, ...]:
        """The line with the NUMA nodes whose memory it gives."""
        return (cite(self.mems_file),) if self.mems_file else ()

    @property
    def owner(self) -> str | None:
        """Who makes groups of such a name; None for a name that anybody may give."""
        return next((owner for mark, owner in _OWNERS if mark in self.path), None)


class Cgroups(NamedTuple):
    """Every control group above a process of the input, by (version, path).

    ``unit_path_of_pid`` is where systemd put the process, which on v1 is no cpuset.
    """

    by_path: dict[str, Cgroup]
    path_of_pid: dict[int, str]
    unit_path_of_pid: dict[int, str]

    def chain(self, pid: int) -> tuple[Cgroup, ...]:
        """The groups of a process, its own first, the root last; empty where they are not known."""
        path = self.path_of_pid.get(pid)
        if path is None:
            return ()
        return tuple(self.by_path[above] for above in ancestors(path) if above in self.by_path)

    def first_without(self, pid: int, is_lacking: Callable[[Cgroup], bool]) -> Cgroup | None:
        """The group nearest the root that lacks something: the layer that took it away."""
        return next((group for group in reversed(self.chain(pid)) if is_lacking(group)), None)

    def effective_cpus(self, pid: int) -> CpuSet | None:
        """The CPUs the nearest group that says so lets the process use."""
        return next((group.effective_cpus for group in self.chain(pid) if group.effective_cpus), None)

    def effective_mems(self, pid: int) -> NodeSet | None:
        return next((group.effective_mems for group in self.chain(pid) if group.effective_mems), None)


def join(tree: Tree, cgroups: tuple[Found[ProcCgroup], ...]) -> Cgroups:
    """Follow each process's cpuset path up to the root."""
    path_of_pid, unit_path_of_pid, by_path = {}, {}, {}
    for found in cgroups:
        if found.reading:
            continue
        pid, unified = int(found.file.path.split("/")[2]), found.record.unified_path
        below_root = [each for each in (found.record.path_of("name=systemd"), unified) if each and each != "/"]
        unit_path_of_pid[pid] = next(iter(below_root), "/")
        path = found.record.path_of("cpuset") or unified
        if path is None:
            continue
        path_of_pid[pid] = path
        for above in ancestors(path):
            if above not in by_path and (group := _read(tree, above)):
                by_path[above] = group
    return Cgroups(by_path, path_of_pid, unit_path_of_pid)


def ancestors(path: str) -> list[str]:
    """``/a/b`` as ``/a/b``, ``/a``, ``/``."""
    parts = [part for part in path.split("/") if part]
    return ["/" + "/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _read(tree: Tree, path: str) -> Cgroup | None:
    for mount in (MOUNT, f"{MOUNT}/cpuset", f"{MOUNT}/cpuset,cpu,cpuacct", f"{MOUNT}/unified"):
        folder = f"{mount}{path}".rstrip("/")
        cpus, effective_cpus = _set_in(tree, folder, CpuSet, "cpuset.cpus"), _set_in(tree, folder, CpuSet, *_EFFECTIVE_CPUS)
        mems, effective_mems = _set_in(tree, folder, NodeSet, "cpuset.mems"), _set_in(tree, folder, NodeSet, *_EFFECTIVE_MEMS)
        if cpus.file or effective_cpus.file or mems.file or effective_mems.file:
            return Cgroup(
                path,
                cpus.ids or None,
                effective_cpus.ids or cpus.ids,
                mems.ids or None,
                effective_mems.ids or mems.ids,
                effective_cpus.file or cpus.file,
                effective_mems.file or mems.file,
                folder,
            )
    return None


class _Set(Generic[S]):
    """A set and the file it was read from; both None where no file of the names can be read."""

    def __init__(self, ids: S | None, file: File | None) -> None:
        self.ids: S | None = ids
        self.file = file


def _set_in(tree: Tree, folder: str, kind: type[S], *names: str) -> _Set[S]:
    for name in names:
        file = tree.get(f"{folder}/{name}")
        if isinstance(file, Gap):
            continue
        try:
            return _Set(kind.parse(file.text), file)
        except ParseError:
            continue
    return _Set(None, None)


JOINER = Joiner(join)
