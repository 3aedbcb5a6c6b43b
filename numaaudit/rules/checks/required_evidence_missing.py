"""# required-evidence-missing (NA802)

Without its NUMA nodes, its GPUs or a process that serves one, nothing can be said about a host.

## What it checks

Three things that every other verdict needs: which CPUs each NUMA node has, at least one GPU, and at least one process that
serves a GPU, with its mask; and that no process was collected whose environment and open files are refused and which nothing else
ties to a GPU: it may be a rank. What is missing is named with what would bring it. It never fails: that evidence is missing is no
fault of the host. What is missing of a single rank is said by the rules that need it.

## Why it matters

A report without findings reads like "all is well". Where nothing could be judged, it has to say so, and what to collect.

## Evidence

`/sys/devices/system/node/node*/cpulist`, the display and accelerator functions of `/sys/bus/pci/devices`, the driver's lists of
GPUs, `/proc/PID/status` with the driver's process table, open device files or the rank's environment.

## How to fix

Collect on the host while the workload runs, as the same user or as root: `sudo numaaudit collect` takes every process that
holds a GPU, `--match REGEX` or `--pid PID` others. Ask for a bundle in place of a pasted excerpt.

## How to verify

`numaaudit check` on the new bundle ends with "looked at N ranks" and this rule passes.

## False positives

A host that is examined before a workload starts has no ranks on purpose; what the board has to say is still reported. With
`--all` processes of other users are hidden that have nothing to do with GPUs.

## References

- https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
- https://docs.kernel.org/admin-guide/abi-stable.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, ok, unknown

RULE = Rule("NA802", gate=Gate.PLACEMENT, category="evidence-gap", severity=Severity.INFO, decides=True)
MESSAGE = "The evidence lacks {missing}."
FIX = "Collect {missing}: run numaaudit collect on the host, as root, while the workload runs."


def check(topology: Topology, devices: Devices, processes: Processes, ranks: Ranks) -> Iterator[Judgement]:
    hidden = [gap for process in processes.all if ranks.by_pid(process.pid) is None and (gap := _hidden(process))]
    gaps = (*_gaps(topology, devices, processes, ranks, hidden), *hidden)
    yield unknown("host", *gaps) if gaps else ok("host", num_ranks=len(ranks.all), num_gpus=len(devices.gpus))


def _gaps(topology: Topology, devices: Devices, processes: Processes, ranks: Ranks, hidden: list[Gap]) -> Iterator[Gap]:
    """Without a path where folders were looked into that are there, and hold nothing of the kind."""
    if not topology.cpu_nodes:
        yield Gap("absent", "root/sys/devices/system/node", "no source lists the CPUs of any NUMA node")
    if not devices.gpus:
        yield Gap("absent", "", "no GPU was found: neither PCI functions, drivers nor GPU tools name one")
    if not ranks.all:
        who = "" if hidden else ", as root or as its user"  # what is hidden says that itself
        looked = f"no process is known to serve a GPU, of {len(processes.all)} in the evidence"
        yield Gap("absent", "", f"{looked}; collect while the workload runs{who}")


def _hidden(process: Process) -> Gap | None:
    """Whoever may not read the environment may not see the open files either (PTRACE_MODE_READ, proc(5))."""
    environ = process.environ
    return environ if isinstance(environ, Gap) and environ.kind == "refused" and not process.devices else None
