"""What /proc says of the processes of a job."""

from collections.abc import Mapping
from typing import NamedTuple

from evidence import Evidence
from host_shape import HostShape
from kernel_files import mask

from numaaudit.core.cpuset import CpuSet

PAGE_KB = 4
_THREADS = ("cuda-EvtHandlr", "cuda-EvtHandlr", "NCCL Progress", "NCCL Service", "pt_nccl_watchdg", "pt_nccl_heartbt", "pt_tcpstore_uv")


class Rank(NamedTuple):
    """One worker process. ``mib_by_numa_node`` is its anonymous and pinned memory."""

    number: int
    cpus: CpuSet
    numa_node: int  # of its own choice: where its policy and its page cache are
    mib_by_numa_node: dict[int, int]
    policy: str = "default"
    first_pid: int = 4238

    @property
    def pid(self) -> int:
        return self.first_pid + self.number


class Cgroup(NamedTuple):
    """A cgroup v2 below the root; ``cpus`` is what an administrator wrote to cpuset.cpus, None for nothing."""

    path: str
    cpus: CpuSet | None = None


class Job(NamedTuple):
    """Ranks of one job, in ``cgroups[-1]``.

    ``in_container``: they have PIDs of their own in there. ``early_policy``: that of threads born before the rank set its own.
    """

    ranks: tuple[Rank, ...]
    cgroups: tuple[Cgroup, ...]  # from below the root to the ranks' own
    argv: tuple[str, ...]
    log: str = ""
    in_container: bool = False
    early_policy: str | None = None
    num_threads: int = 8
    num_mappings: int = 24
    start_ticks: int = 8_412_003  # since boot, when the job started

    def ns_pids(self, tid: int) -> str:
        """The numbers of a task in each PID namespace, as /proc/PID/status prints them; the host's first."""
        return f"{tid}\t{tid - 4200}" if self.in_container else str(tid)


class MappedRange(NamedTuple):
    """A line of numa_maps without its address; ``kind`` is the counter of /proc/PID/status that its pages are in."""

    kind: str
    text: str
    pages: int


class Thread(NamedTuple):
    tid: int
    comm: str
    ticks: int
    ticks_per_s: int
    cpu: int
    policy: str


def add_job(evidence: Evidence, shape: HostShape, job: Job) -> None:
    for rank in job.ranks:
        _add_rank(evidence, shape, job, rank)
    if job.log:
        evidence.log("launcher.log", job.log)


def _add_rank(evidence: Evidence, shape: HostShape, job: Job, rank: Rank) -> None:
    folder, threads, mappings = f"proc/{rank.pid}", _threads(job, rank), _mappings(job, rank)
    status = _Status(shape, job, rank, mappings)
    total, in_a_second = sum(thread.ticks for thread in threads), sum(thread.ticks_per_s for thread in threads)
    whole = threads[0]._replace(ticks=total, ticks_per_s=in_a_second)
    evidence.file("process_status", f"{folder}/status", status.text(threads[0]))
    evidence.file("process_status", f"{folder}/stat", _stat(whole, job, mappings))
    evidence.file("process_status", f"{folder}/cgroup", f"0::/{job.cgroups[-1].path}\n")
    evidence.file("process_status", f"{folder}/limits", _LIMITS)
    for number, target in enumerate(_open_devices(shape), 31):
        evidence.link("open_devices", f"{folder}/fd/{number}", target)
    for thread in threads:
        task = f"{folder}/task/{thread.tid}"
        evidence.file("threads", f"{task}/comm", f"{thread.comm}\n")
        evidence.file("threads", f"{task}/status", status.text(thread))
        evidence.file("threads", f"{task}/stat", _stat(thread, job, mappings))
        if thread.policy != rank.policy:
            evidence.file("thread_policies", f"{task}/numa_maps", f"00400000 {thread.policy}\n")
    evidence.file("process_command", f"{folder}/cmdline", "".join(f"{word}\0" for word in (*job.argv, "--local-rank", str(rank.number))))
    evidence.file("process_command", f"{folder}/environ", _environ(job, rank))
    evidence.file("process_pages", f"{folder}/numa_maps", _numa_maps(mappings))
    for place, thread in ((folder, whole), *((f"{folder}/task/{thread.tid}", thread) for thread in threads)):
        later = thread._replace(ticks=thread.ticks + thread.ticks_per_s)
        evidence.again(f"{place}/stat", _stat(later, job, mappings))


def _threads(job: Job, rank: Rank) -> list[Thread]:
    """The main thread polls and is always busy; the others work now and then, each on its own CPU of the mask."""
    cpus = list(rank.cpus)
    threads = [Thread(rank.pid, "python3", 181_204 + 97 * rank.number, 100, cpus[0], rank.policy)]
    for index in range(1, job.num_threads):
        comm = _THREADS[index - 1] if index <= len(_THREADS) else f"pt_autograd_{index % 8}"
        early = job.early_policy if index <= 2 else None
        busy = 14 if comm.startswith("NCCL P") else index % 3
        tid, cpu = rank.first_pid + 762 + 1000 * rank.number + index, cpus[index % len(cpus)]
        threads.append(Thread(tid, comm, 2_410 * busy + index, busy, cpu, early or rank.policy))
    return threads


def _mappings(job: Job, rank: Rank) -> list[MappedRange]:
    """Program and libraries, then anonymous and pinned memory in the given amounts, then what a CUDA process maps of its devices."""
    home, policy = rank.numa_node, rank.policy
    mappings = [
        _file(policy, "/usr/bin/python3.11", {home: 811}, shared_by=8), _file(policy, "/usr/bin/python3.11", {home: 92}, kind="RssAnon"),
        MappedRange("RssAnon", f"{policy} heap" + _counts("anon=4210 dirty=4210", {home: 4210}), 4210),
    ]  # fmt: skip
    for pages_by_node in _shares(rank, 3 / 4, max(1, job.num_mappings - 17)):
        pages = sum(pages_by_node.values())
        mappings.append(MappedRange("RssAnon", policy + _counts(f"anon={pages} dirty={pages}", pages_by_node), pages))
    for pages_by_node in _shares(rank, 1 / 4, 2):
        pages = sum(pages_by_node.values())
        mappings.append(MappedRange("RssShmem", f"{policy} file=/dev/zero\\040(deleted)" + _counts(f"dirty={pages}", pages_by_node), pages))
    mappings += [
        _file(policy, "/dev/shm/nccl-Kf3w2d", {home: 2080}, kind="RssShmem"),
        _file(policy, "/srv/models/demo-70b/model-00001-of-00030.safetensors", {home: 30_720}, shared_by=8),
        _file(policy, "/usr/lib/x86_64-linux-gnu/libc.so.6", {0: 391}, shared_by=94),
        _file(policy, "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15", {0: 2204}, shared_by=8),
        _file(policy, "/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so", {0: 61_440}, shared_by=8),
        *(MappedRange("", f"{policy} file=/dev/nvidia{rank.number}", 0) for _ in range(3)),
        MappedRange("", f"{policy} file=/dev/nvidiactl", 0), MappedRange("", f"{policy} file=/dev/nvidia-uvm", 0),
        MappedRange("RssAnon", f"{policy} stack" + _counts("anon=41 dirty=41", {home: 41}), 41), MappedRange("", policy, 0),
    ]  # fmt: skip
    return mappings


def _file(policy: str, path: str, pages_by_node: dict[int, int], shared_by: int = 1, kind: str = "RssFile") -> MappedRange:
    pages = sum(pages_by_node.values())
    about = f"anon={pages} dirty={pages}" if kind == "RssAnon" else f"mapped={pages}"
    shared = f" mapmax={shared_by}" if shared_by > 1 else ""
    return MappedRange(kind, f"{policy} file={path}" + _counts(about + shared, pages_by_node), pages)


def _counts(about: str, pages_by_node: dict[int, int]) -> str:
    present = "".join(f" N{number}={pages}" for number, pages in sorted(pages_by_node.items()) if pages)
    return f" {about} active=0{present} kernelpagesize_kB={PAGE_KB}" if present else ""


def _shares(rank: Rank, share: float, parts: int) -> list[dict[int, int]]:
    """Pages by NUMA node of each of some mappings that hold a share of a rank's memory, no two of a size."""
    weights = [1 + 37 * index % 41 for index in range(parts)]
    pages = {number: int(mib * 256 * share) for number, mib in rank.mib_by_numa_node.items()}
    return [{number: amount * weight // sum(weights) + index for number, amount in pages.items()} for index, weight in enumerate(weights)]


def _numa_maps(mappings: list[MappedRange]) -> str:
    addresses = [0x400000 + 0x200000 * index if index < 3 else 0x7F1040000000 + 0x8000000 * index for index in range(len(mappings))]
    return "".join(f"{address:08x} {mapping.text}\n" for address, mapping in zip(addresses, mappings, strict=True))


class _Status:
    """/proc/PID/status; that of a thread differs in its name and numbers."""

    def __init__(self, shape: HostShape, job: Job, rank: Rank, mappings: list[MappedRange]) -> None:
        self._job, self._rank = job, rank
        kinds = ("RssAnon", "RssFile", "RssShmem")
        resident = {kind: PAGE_KB * sum(each.pages for each in mappings if each.kind == kind) for kind in kinds}
        total, num_nodes = sum(resident.values()), len(shape.numa_nodes)
        sizes = {"VmSize": total * 9, "VmLck": 0, "VmPin": 0, "VmRSS": total, **resident, "VmSwap": 0, "HugetlbPages": 0}
        self._sizes = "".join(f"{key}:\t{amount:>8} kB\n" for key, amount in sizes.items())
        self._rights = _rows({
            "Threads": job.num_threads, "CapInh": "0" * 16, "CapPrm": "0" * 16, "CapEff": "0" * 16, "NoNewPrivs": 0,
            "Seccomp": 2 if job.in_container else 0, "Cpus_allowed": mask(rank.cpus, len(shape.cpus)), "Cpus_allowed_list": rank.cpus,
            "Mems_allowed": mask(range(num_nodes), 1024), "Mems_allowed_list": f"0-{num_nodes - 1}",
        })  # fmt: skip

    def text(self, thread: Thread) -> str:
        pid, user = self._rank.pid, "1000\t1000\t1000\t1000"
        head = {
            "Name": thread.comm, "Umask": "0022", "State": "S (sleeping)", "Tgid": pid, "Ngid": 0, "Pid": thread.tid, "PPid": 4201,
            "TracerPid": 0, "Uid": user, "Gid": user, "FDSize": 256, "Groups": "1000 ",
            "NStgid": self._job.ns_pids(pid), "NSpid": self._job.ns_pids(thread.tid),
        }  # fmt: skip
        switches = {"voluntary_ctxt_switches": thread.ticks * 3, "nonvoluntary_ctxt_switches": thread.ticks_per_s}
        return _rows(head) + self._sizes + self._rights + _rows(switches)


def _rows(rows: Mapping[str, object]) -> str:
    return "".join(f"{key}:\t{value}\n" for key, value in rows.items())


def _stat(thread: Thread, job: Job, mappings: list[MappedRange]) -> str:
    """All 52 fields (proc_pid_stat(5)); addresses read 0 as for a reader without ptrace rights."""
    pages = sum(mapping.pages for mapping in mappings)
    user, system = thread.ticks - thread.ticks // 8, thread.ticks // 8
    fields = [
        "S", 4201, 4201, 4201, 0, -1, 4194368, 210_447, 0, 12, 0, user, system, 0, 0, 20, 0, job.num_threads, 0,
        job.start_ticks + thread.tid % 1000,
        pages * 9 * 4096, pages, 18446744073709551615, 0, 0, 0, 0, 0, 0, 0, 16781312, 17642, 0, 0, 0, 17, thread.cpu, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0,
    ]  # fmt: skip
    return f"{thread.tid} ({thread.comm}) {' '.join(map(str, fields))}\n"


def _open_devices(shape: HostShape) -> list[str]:
    """CUDA opens every GPU it may see, whichever it computes on."""
    gpus = [f"/dev/nvidia{index}" for index in range(len(shape.gpus))]
    return ["/dev/nvidiactl", "/dev/nvidia-uvm", *gpus, *(f"/dev/infiniband/uverbs{index}" for index in range(len(shape.nics)))]


def _environ(job: Job, rank: Rank) -> str:
    size = len(job.ranks)
    variables = {
        "PATH": "/opt/venv/bin:/usr/bin:/bin", "HOME": "/srv/inference", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 29500,
        "RANK": rank.number, "LOCAL_RANK": rank.number, "WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size, "GROUP_RANK": 0,
        "OMP_NUM_THREADS": 1, "TORCHELASTIC_RESTART_COUNT": 0,
    }  # fmt: skip
    return "".join(f"{name}={value}\0" for name, value in variables.items())


_LIMITS = "\n".join((
    f"{'Limit':<26}{'Soft Limit':<21}{'Hard Limit':<21}Units     ",
    f"{'Max stack size':<26}{'8388608':<21}{'unlimited':<21}bytes     ",
    f"{'Max processes':<26}{'4126712':<21}{'4126712':<21}processes ",
    f"{'Max open files':<26}{'1048576':<21}{'1048576':<21}files     ",
    f"{'Max locked memory':<26}{'unlimited':<21}{'unlimited':<21}bytes     ",
    f"{'Max address space':<26}{'unlimited':<21}{'unlimited':<21}bytes     ",
    "",
))  # fmt: skip
