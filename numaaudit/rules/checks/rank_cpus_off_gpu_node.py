"""# rank-cpus-off-gpu-node (NA201)

None of the CPUs that a rank's main thread, or most of its work, may run on belongs to the NUMA node that its GPU hangs on.

## What it checks

For each rank with a GPU whose NUMA node is known: the CPUs its threads may use (thread mask, cut by the cpuset and by what is
online) against the CPUs of that NUMA node. A thread is off the node if the two sets have no CPU in common. Each thread weighs
as much as the CPU time it used between two readings, or since it began where there is one reading only; then the finding is
at most `likely`. The rank fails

- when threads with at least `off_node_share` (0.5) of its CPU time are off the node, or
- when its main thread is, unless the threads off the node used less than `idle_share` (0.05) of its CPU time: a main thread
  that only waits for local workers does no harm, and it is the workers that feed the GPU.

Where the CPUs and the GPU's NUMA node lie in one package (sub-NUMA clustering, NPS), the failure is `low`: that memory is
near, not remote. A GPU whose NUMA node has no CPUs is judged by the nearest one that has some; a rank with several GPUs by the
NUMA nodes of all of them. Not applicable where one NUMA node has all CPUs.

## Why it matters

Kernel launches, copies and the polling of completions then cross the link between packages for every operation. How much that
costs depends on the work: measure it (`numaaudit compare`) before and after.

## Evidence

`/proc/PID/status` and `/proc/PID/task/*/status` (Cpus_allowed_list, Threads), `/proc/PID/task/*/stat` (utime, stime), the
cgroup's effective cpuset, `/sys/bus/pci/devices/*/numa_node`, `/sys/devices/system/node/node*/cpulist`, and what ties the rank
to its GPU (driver's process table, one open device, or the environment). Unknown when the rank's GPU, that GPU's NUMA node, or
a mask is not known, also when more than a tenth of its threads were not read and the main thread's mask is local: the others
may have other masks.

## How to fix

Start the rank with a mask on the GPU's NUMA node: `numactl --cpunodebind=N --membind=N`, the launcher's own NUMA option, or
`cpuset.cpus` of its cgroup. `taskset -acp CPUS PID` moves the threads of a running rank, but memory that was touched before
stays where it is, so restart the rank. Where the cpuset holds no CPU of that NUMA node, see cpuset-cuts-affinity (NA601) first.

## How to verify

`grep Cpus_allowed_list /proc/PID/task/*/status` lists only CPUs of the GPU's NUMA node; `numaaudit check` on a new bundle is
silent for the rank.

## False positives

A rank that does all its host work in other processes (a data server, say) may sit elsewhere on purpose. One that was bound to
the NIC's NUMA node on purpose is named as well: both cannot be local, and the GPU is what this rule is about.

## References

- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.model.locality import home_of
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import work_of
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask, missing_threads
from numaaudit.rules.wrong_cpus import wrong_cpus

RULE = Rule(
    "NA201",
    gate=Gate.PLACEMENT,
    category="rank-core-mismatch",
    severity=Severity.HIGH,
    decides=True,
    caused_by=("NA601", "NA602", "NA420", "NA702", "NA701"),
)
MESSAGE = "{who} (pid {pid}) may run on CPUs {cpus} of NUMA node {numa_nodes}, but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
MESSAGES = {
    "threads": "{who} (pid {pid}): threads with {percent} % of its CPU time may run on CPUs {cpus} of NUMA node {numa_nodes} only, "
    "but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
}
FIX = "Restart {who_inside} bound to CPUs {local_cpus}."


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_node_share: float = 0.5
    idle_share: float = 0.05


def check(ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield _judge(rank, topology, limits)


def _judge(rank: Rank, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    home, cpus = home_of(rank, topology), rank.process.effective_cpus
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    work, is_main_off = work_of(rank.process), cpus.isdisjoint(home.cpus)
    share = work.share(home.cpus.isdisjoint)
    is_idle = work.is_complete and bool(work.shares) and share < limits.idle_share
    if share >= limits.off_node_share or (is_main_off and not is_idle):
        return wrong_cpus(rank, topology, home, home.cpus.isdisjoint, limits.idle_share, near=Severity.LOW)
    if not work.is_complete:
        return unknown(rank.subject, missing_threads(rank.process), related=rank.related)
    evidence = rank.process.evidence + home.evidence
    return ok(rank.subject, related=rank.related, evidence=evidence, cpus=cpus, gpu=rank.gpus[0].name, gpu_numa_node=home.numa_nodes)
