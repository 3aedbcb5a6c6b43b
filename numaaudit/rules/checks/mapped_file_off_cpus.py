"""# mapped-file-off-cpus (NA302)

A large file that a process maps, weights for instance, is cached on a NUMA node where the process may not run.

## What it checks

For each process whose threads (all of them together: masks, cut by the cpuset and by what is online) are confined to some NUMA
nodes: the pages of each mapped file that is no program or library, by NUMA node, from numa_maps. It fails where at least
`file_mib` (1024) MiB of one file are resident, and more than `off_share` (0.5) of them lie on other NUMA nodes. `low`; `info`
for a process with a GPU, which reads weights once and copies them, and where the CPUs and those NUMA nodes share a package.

Not applicable to a process that may run on every NUMA node with CPUs, or where one NUMA node has all CPUs.

## Why it matters

Page cache stays where it was read first, and a memory policy does not move it: `numactl --membind` of the second run finds the
pages of the first. CPU inference streams the whole file for every token, then across the link between packages.

## Evidence

`/proc/PID/numa_maps` (`file=`, `N<node>=`, `kernelpagesize_kB`), `/proc/PID/task/*/status`. Unknown where numa_maps was refused
or not read whole.

## How to fix

Drop the file from the cache and start again under the policy: `dd of=FILE oflag=nocache conv=notrunc,fdatasync count=0`, as root
`echo 1 > /proc/sys/vm/drop_caches`, or `vmtouch -e FILE`. Or read the weights into anonymous memory (`--no-mmap`, `--mlock` does
not move them), or place the process where its file is.

## How to verify

`grep FILE /proc/PID/numa_maps` shows `N<node>=` of the process's own NUMA node.

## False positives

A file that is mapped and hardly read (an index, an archive).

## References

- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man5/numa_maps.5.html
- https://man7.org/linux/man-pages/man2/mmap.2.html
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.evidence import cite
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import FILE, NumaMaps
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA302", gate=Gate.PLACEMENT, category="memory-remote", severity=Severity.LOW)
MESSAGE = (
    "{who} (pid {pid}) maps {off_mib} of {total_mib} MiB of {file} from NUMA nodes {numa_nodes}, "
    "but it may run on CPUs {cpus} of NUMA nodes {own_numa_nodes} only."
)
FIX = "Drop {file} from the page cache and start {who_inside} again, so that it is read in on NUMA nodes {own_numa_nodes}."


class Thresholds(NamedTuple):
    """What a policy may change."""

    file_mib: int = 1024
    off_share: float = 0.5


_LIBRARY = re.compile(r"\.so(?:\.[\d.]{1,20})?$|/s?bin/[^/]+$")


class _File(NamedTuple):
    """A mapped file's resident bytes, and those on NUMA nodes where the process may not run."""

    name: str
    total_bytes: int
    off_bytes: int
    numa_nodes: NodeSet


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.effective_cpus and not process.is_excerpt:
            yield _judge(process, name_of(process, ranks), topology, limits)


def _judge(process: Process, named: Naming, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(named.subject)
    maps, cpus = process.maps, process.reachable_cpus
    own = topology.numa_nodes_of(cpus)
    if own == topology.cpu_nodes:
        return not_applicable(named.subject)
    if isinstance(maps, Gap):
        return unknown(named.subject, maps, related=named.related)
    large = [file for file in _files(maps.record, own) if file.total_bytes >= limits.file_mib * MIB]
    off = [file for file in large if file.off_bytes > limits.off_share * file.total_bytes]
    if off:
        return _failure(named, max(off, key=lambda file: file.off_bytes), maps, cpus, topology)
    if maps.record.is_partial:
        return unknown(named.subject, cut_maps(maps), related=named.related)
    return ok(named.subject, related=named.related, evidence=process.evidence, cpus=cpus)


def _files(maps: NumaMaps, own: NodeSet) -> Iterator[_File]:
    names = dict.fromkeys(total.file for total in maps.totals if total.kind == FILE and total.file and not _LIBRARY.search(total.file))
    for name in names:
        amounts = [pair for total in maps.totals if total.file == name and total.kind == FILE for pair in total.bytes_by_node]
        off = [(number, amount) for number, amount in amounts if number not in own]
        yield _File(name, sum(amount for _, amount in amounts), sum(amount for _, amount in off), NodeSet(number for number, _ in off))


def _failure(named: Naming, file: _File, maps: Found[NumaMaps], cpus: CpuSet, topology: Topology) -> Judgement:
    near = topology.same_package(topology.cpus_of(file.numa_nodes), cpus)
    return fail(
        named.subject,
        severity=Severity.INFO if named.rank or near else None,
        related=(*named.related, f"file:{file.name}", *(f"numa_node:{number}" for number in file.numa_nodes)),
        evidence=(cite(maps.file, f"file={file.name} "), *named.process.evidence),
        file=file.name,
        off_mib=file.off_bytes >> 20,
        total_mib=file.total_bytes >> 20,
        numa_nodes=file.numa_nodes,
        cpus=cpus,
        own_numa_nodes=topology.numa_nodes_of(cpus),
        **named.details,
    )
