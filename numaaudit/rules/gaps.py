"""Gaps that several rules name: evidence of a process that has no gap of its own, because a line of a file is missing."""

from numaaudit.bundle.tree import Gap
from numaaudit.model.sections.processes import Process
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps


def missing_mask(process: Process) -> Gap:
    """The status file without the mask."""
    return Gap("absent", process.status.file.path, "no Cpus_allowed_list in it, or none of its CPUs is online")


def cut_maps(maps: Found[NumaMaps]) -> Gap:
    """A numa_maps of which the collector, or whoever pasted it, took the beginning only."""
    path = maps.file.path
    if path.startswith("pasted/"):
        return Gap("cut", path, "only a part of a numa_maps is shown")
    return Gap("cut", path, f"only its first bytes were read; `cat {path.removeprefix('root')}` reads it whole")


def missing_threads(process: Process) -> Gap:
    """Threads that the kernel counts and the evidence lacks."""
    num_threads = process.status.record.num_threads
    if num_threads is None:
        return Gap("absent", f"root/proc/{process.pid}/task", "only the mask of its main thread is known")
    reason = f"of {num_threads} threads the masks and CPU times of {len(process.threads)} at most are known"
    return Gap("absent", f"root/proc/{process.pid}/task", reason)
