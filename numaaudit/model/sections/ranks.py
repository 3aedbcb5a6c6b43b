"""Ranks: the processes that serve a GPU, and how each is known to reach it.

Strongest first: the driver's own process table (nvidia-smi compute-apps, KFD, DRM fdinfo; its PIDs are looked up in NSpid) ·
exactly one accelerator device open · the environment's ordinal for the local rank, which has to lie within the set of open
devices (CUDA opens every visible device, and environ shows exec-time intent). Several open devices and nothing else is
``ambiguous``.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.model.evidence import Evidence, cite, cite_entry, cite_link
from numaaudit.model.gpus import Gpu
from numaaudit.model.join import Joiner
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.visible_devices import VISIBLE, visible_gpus
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.drm_fdinfo import DrmFdinfo
from numaaudit.parse.parsers.nvidia_smi_compute_apps import NvidiaSmiComputeApps

# First match wins (formats: local-rank variables of the launchers).
_LOCAL_RANK = (
    ("torchrun", "LOCAL_RANK"),
    ("openmpi", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("intel-mpi", "MPI_LOCALRANKID"),
    ("mvapich2", "MV2_COMM_WORLD_LOCAL_RANK"),
    ("slurm", "SLURM_LOCALID"),
    ("flux", "FLUX_TASK_LOCAL_ID"),
    ("pals", "PALS_LOCAL_RANKID"),
)
# Programs that watch, drive or show GPUs, and compute nothing on them: by name as /proc/PID/comm cuts it.
_WATCHERS = frozenset(
    """
    nvidia-persiste nvidia-cuda-mps nvidia-powerd nvidia-smi nvidia-modprobe nvidia-settings nvidia-device-p nvidia-mig-mana
    nv-hostengine nv-fabricmanage dcgm-exporter dcgmi gpu-feature-dis nvitop nvtop gpustat
    rocm-smi amd-smi amdgpu_top radeontop rdcd k8s-device-plug npu-smi npu-exporter ascend-device-p hl-smi xpu-smi xpumd intel_gpu_top
    Xorg Xwayland X gnome-shell kwin_wayland weston
""".split()
)
_COMM_LENGTH = 15  # TASK_COMM_LEN without the end, kernel include/linux/sched.h
_RANK = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "FLUX_TASK_RANK", "PALS_RANKID")


class Rank(NamedTuple):
    """A process with a GPU, or with a rank. ``gpus`` empty: ``gap`` says why its GPU is not known."""

    process: Process
    subject: str
    rank: int | None
    local_rank: int | None
    launcher: str | None
    gpus: tuple[Gpu, ...]
    gpu_source: str | None
    gpu_evidence: tuple[Evidence, ...]
    gap: Gap | None

    @property
    def number(self) -> int | None:
        """The global rank, or the local one where that is all there is."""
        return self.rank if self.rank is not None else self.local_rank

    @property
    def title(self) -> str:
        """How a sentence begins with it: ``Rank 4``, or ``Process vllm``."""
        return f"Rank {self.number}" if self.subject.startswith("rank:") else f"Process {self.process.comm or self.process.pid}"

    @property
    def title_inside(self) -> str:
        return self.title[0].lower() + self.title[1:]

    @property
    def canonical(self) -> str:
        """What it is over restarts: its GPUs, else launcher and rank."""
        return " ".join(gpu.canonical for gpu in self.gpus) or f"{self.launcher or self.process.comm} rank:{self.number}"

    @property
    def related(self) -> tuple[str, ...]:
        """The process and its GPUs as subjects."""
        return (f"pid:{self.process.pid}", *(f"gpu:{gpu.name}" for gpu in self.gpus))


class Ranks(NamedTuple):
    all: tuple[Rank, ...]
    gaps: tuple[Gap, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    def by_pid(self, pid: int) -> Rank | None:
        return next((rank for rank in self.all if rank.process.pid == pid), None)


class _Reach(NamedTuple):
    """The GPUs one kind of evidence gives a process."""

    gpus: tuple[Gpu, ...]
    source: str
    evidence: tuple[Evidence, ...]


def join(
    tree: Tree,
    processes: Processes,
    devices: Devices,
    kfd: Kfd,
    apps: tuple[Found[NvidiaSmiComputeApps], ...],
    fdinfos: tuple[Found[DrmFdinfo], ...],
) -> Ranks:
    """Every process that holds an accelerator or has a rank, except those that only start, watch or drive such
    processes, and those that a rank forked and that have its CPUs: what is wrong with them is wrong with it."""
    reached = _driver_table(tree, processes, devices, kfd, apps, fdinfos)
    found = []
    conflicts: list[Conflict] = []
    forked = {process.pid: parent for process in processes.all if (parent := _forked_from(process, processes, devices, reached))}
    used = {gpu for process in processes.all if process.pid in reached and not _only_watches(process) for gpu in reached[process.pid].gpus}
    for process in processes.all:
        parent, opened = forked.get(process.pid), _opened(process, devices)
        if _only_watches(process) or (parent and parent.effective_cpus == process.effective_cpus):
            continue
        if process.pid not in reached and _only_looks(process, opened, used):
            continue
        rank = _rank(process, devices, reached.get(process.pid), opened, conflicts)
        if rank:
            found.append(rank)
    own = [rank for rank in found if rank.process.pid not in forked]
    named = tuple(rank._replace(subject=_subject(rank, own)) for rank in found)
    return Ranks(named, tuple(rank.gap for rank in named if rank.gap), tuple(conflicts))


def _forked_from(process: Process, processes: Processes, devices: Devices, reached: dict[int, _Reach]) -> Process | None:
    """The rank that a process was forked from, with its open devices and its environment, such as a data loader's worker.

    CUDA does not work in a forked process. It is one where the driver's table has the parent and not the process, or where both
    have the same rank.
    """
    parent = processes.by_pid(process.ppid) if process.ppid is not None else None
    if parent is None or process.pid in reached:
        return None
    held, numbers = _opened(process, devices).gpus, [_number(each.variables) for each in (process, parent)]
    is_of_parent = set(held) <= {*_opened(parent, devices).gpus, *(reached[parent.pid].gpus if parent.pid in reached else ())}
    is_of_rank = parent.pid in reached or (numbers[0] is not None and numbers[0] == numbers[1])
    return parent if held and is_of_parent and is_of_rank else None


def _number(environ: dict[str, str]) -> int | None:
    return next((number for name in _RANK if (number := _int(environ.get(name))) is not None), None)


def _subject(rank: Rank, own: list[Rank]) -> str:
    """``rank:N`` (global, local where that is all there is) if no other process has that number, else ``pid:N``.

    ``own``: the ranks that were not forked from one.
    """
    unique = rank.number is not None and rank in own and sum(other.number == rank.number for other in own) == 1
    return f"rank:{rank.number}" if unique else f"pid:{rank.process.pid}"


def _rank(process: Process, devices: Devices, table: _Reach | None, opened: _Reach, conflicts: list[Conflict]) -> Rank | None:
    environ = process.variables
    launcher, local_rank = _local_rank(environ)
    rank = _number(environ)
    if table is None and not opened.gpus:
        if local_rank is None or not devices.gpus:
            return None
        if not _may_hold_gpu(process):
            return None
    intent = _intent(process, environ, devices, local_rank, opened)
    chosen, gap = _choose(process, table, opened, intent)
    if chosen and intent and chosen.source != intent.source and not set(intent.gpus) & set(chosen.gpus):
        names = [" ".join(gpu.name for gpu in reach.gpus) for reach in (chosen, intent)]
        conflicts.append(Conflict(f"pid:{process.pid}", "gpus", ((names[0], chosen.source), (names[1], intent.source))))
    gpus = chosen.gpus if chosen else ()
    return Rank(process, "", rank, local_rank, launcher, gpus, chosen.source if chosen else None, chosen.evidence if chosen else (), gap)


def _only_watches(process: Process) -> bool:
    program = process.argv[0].rpartition("/")[2] if process.argv else ""
    return process.comm in _WATCHERS or program[:_COMM_LENGTH] in _WATCHERS


def _only_looks(process: Process, opened: _Reach, used: set[Gpu]) -> bool:
    """It has GPUs open and no rank, and the driver names others that compute on each of them: it asks NVML about them, for instance."""
    if isinstance(process.environ, Gap) or not opened.gpus:
        return False
    has_rank = _number(process.variables) is not None or _local_rank(process.variables)[1] is not None
    return not has_rank and set(opened.gpus) <= used


def _may_hold_gpu(process: Process) -> bool:
    """A rank whose open files could not be read may still hold a GPU; one whose files are known and name none does not."""
    return isinstance(process.environ, Gap) or not process.devices


def _choose(process: Process, table: _Reach | None, opened: _Reach, intent: _Reach | None) -> tuple[_Reach | None, Gap | None]:
    if table:
        return table, None
    if len(opened.gpus) == 1:
        return opened, None
    if intent:
        return intent, None
    path = f"root/proc/{process.pid}/fd"
    if opened.gpus:
        return None, Gap("ambiguous", path, f"{len(opened.gpus)} accelerator devices are open and nothing says which one is used")
    return None, Gap("absent", path, "no open accelerator device was seen and no driver table names the process")


def _local_rank(environ: dict[str, str]) -> tuple[str | None, int | None]:
    for launcher, name in _LOCAL_RANK:
        number = _int(environ.get(name))
        if number is not None:
            return launcher, number
    return None, None


def _int(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"\d{1,9}", text) else None


def _opened(process: Process, devices: Devices) -> _Reach:
    gpus: dict[str, Gpu] = {}
    evidence = []
    for path, target in process.devices:
        gpu = devices.gpu_of_file(target)
        if gpu and gpu.name not in gpus:
            gpus[gpu.name] = gpu
            evidence.append(cite_link(path, target))
    return _Reach(tuple(gpus.values()), "open-device", tuple(evidence))


def _intent(process: Process, environ: dict[str, str], devices: Devices, local_rank: int | None, opened: _Reach) -> _Reach | None:
    """The ordinal of the local rank among the visible devices; a process that sees one device has ordinal 0."""
    visible = visible_gpus(environ, devices.gpus)
    if isinstance(visible, Gap) or not visible:
        return None
    if len(visible) == 1:
        chosen = visible[0]
    elif local_rank is not None and local_rank < len(visible):
        chosen = visible[local_rank]
    else:
        return None
    if opened.gpus and chosen not in opened.gpus:
        return None
    names = [name for name in (*(name for _, name in _LOCAL_RANK), *VISIBLE) if name in environ]
    evidence = () if isinstance(process.environ, Gap) else tuple(cite_entry(process.environ.file, name) for name in names)
    return _Reach((chosen,), "environment", evidence)


def _driver_table(
    tree: Tree,
    processes: Processes,
    devices: Devices,
    kfd: Kfd,
    apps: tuple[Found[NvidiaSmiComputeApps], ...],
    fdinfos: tuple[Found[DrmFdinfo], ...],
) -> dict[int, _Reach]:
    """PID to the GPUs that the driver says it uses."""
    table: dict[int, dict[str, tuple[Gpu, Evidence, str]]] = {}
    for found in apps:
        for row in found.record.apps:
            gpu = devices.gpu_named(row.gpu_uuid) if row.gpu_uuid else None
            owners = processes.by_any_pid(row.pid) if row.pid is not None else []
            if gpu and len(owners) == 1:
                table.setdefault(owners[0].pid, {})[gpu.name] = (gpu, cite(found.file, f"{row.pid}"), "compute-apps")
    for opened in fdinfos:
        gpu = devices.gpu_named(str(opened.record.pci_address)) if opened.record.pci_address and not opened.reading else None
        if gpu:
            pid, line = int(opened.file.path.split("/")[2]), cite(opened.file, "drm-pdev")
            table.setdefault(pid, {}).setdefault(gpu.name, (gpu, line, "drm-fdinfo"))
    for path in tree.glob("root/sys/class/kfd/kfd/proc/[0-9]*/vram_*"):
        gpu = _kfd_gpu(path, devices, kfd)
        owners = processes.by_any_pid(int(path.split("/")[-2]))
        file = tree.get(path)
        if gpu and len(owners) == 1 and not isinstance(file, Gap) and file.text.strip() not in ("", "0"):
            table.setdefault(owners[0].pid, {})[gpu.name] = (gpu, cite(file), "kfd")
    return {
        pid: _Reach(tuple(row[0] for row in rows.values()), next(iter(rows.values()))[2], tuple(row[1] for row in rows.values()))
        for pid, rows in table.items()
    }


def _kfd_gpu(path: str, devices: Devices, kfd: Kfd) -> Gpu | None:
    """The GPU whose gpu_id ends the file name ``vram_<gpu_id>``."""
    number = path.rpartition("_")[2]
    address = next((entry.pci_address for entry in kfd.nodes if number == str(entry.gpu_id)), None)
    return next((gpu for gpu in devices.gpus if address and gpu.pci_address and gpu.pci_address.slot == address.slot), None)


JOINER = Joiner(join)
