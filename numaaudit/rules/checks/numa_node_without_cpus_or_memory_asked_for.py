"""# numa-node-without-cpus-or-memory-asked-for (NA311)

A launcher asked for the CPUs of a NUMA node that has none, such as the memory of a GPU, or for memory of one that has none.

## What it checks

The numactl command lines in the named logs: `--cpunodebind` whose NUMA nodes all have no CPUs, and `--membind` whose NUMA nodes
all have no memory. It fails for each such NUMA node: `medium`, and `high` where the lines below the command show that the call
was refused. A set that has one good NUMA node works, and is silent; so is what names CPUs and memory that are there. `high` too
where `--cpunodebind` was refused for a NUMA node that has CPUs and no memory: libnuma leaves such a NUMA node out.

## Why it matters

The kernel answers EINVAL to a set without CPUs or memory, numactl exits with 1, and the worker never starts, mostly without a
traceback. On hosts where a GPU's memory is a NUMA node (Grace, POWER9, MI300A in some modes) the driver's "GPU NUMA ID" is that
node, not the one with the CPUs next to the GPU ("NUMA Affinity"): a launcher that takes the first for the second asks for CPUs
where there are none.

## Evidence

Logs that were named when the bundle was made (`--log`), `/sys/devices/system/node/node*/cpulist` and `meminfo`,
`/proc/driver/nvidia/gpus/*/numa_status`. Unknown where the NUMA node's CPUs or memory are not in the evidence.

## How to fix

Give the launcher the NUMA node of the GPU's CPUs: `cat /sys/bus/pci/devices/ADDRESS/numa_node`, or the column "NUMA Affinity" of
`nvidia-smi topo -m`, never "GPU NUMA ID" or `numa_status`. Newer launchers ask NVML for the CPU affinity. Where no NUMA option
works, `numactl --cpunodebind=N --membind=N` around each rank does.

## How to verify

`numactl --cpunodebind=N true` ends without an error for the NUMA node in the launcher's new log.

## False positives

A log of another host, or of a time when the CPUs of that NUMA node were online.

## References

- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://github.com/numactl/numactl/issues/67
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceQueries.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import cite_line
from numaaudit.model.gpus import Gpu
from numaaudit.model.kernel_numa import NUMA_NODES, NumaNode
from numaaudit.model.locality import home_of_gpus
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numactl_commands import NumactlCommand, NumactlCommands
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA311", gate=Gate.PLACEMENT, category="memory-tier", severity=Severity.MEDIUM)
MESSAGE = "A launcher asked for {what} of NUMA node {numa_node} ({option}={wanted}), which has no {what}."
MESSAGES = {
    "gpu": "A launcher asked for {what} of NUMA node {numa_node} ({option}={wanted}), which has no {what}: it is the memory of "
    "GPU {gpu}, whose CPUs are those of NUMA node {gpu_numa_node}.",
    "no memory": "A launcher was refused the CPUs of NUMA node {numa_node} ({option}={wanted}), which has CPUs and no memory: libnuma "
    "counts only NUMA nodes with memory.",
}
FIX = "Give the launcher {instead} in place of {option}={wanted}."

_WHAT = {"--cpunodebind": "CPUs", "--membind": "memory"}


def check(logs: tuple[Found[NumactlCommands], ...], topology: Topology, devices: Devices) -> Iterator[Judgement]:
    judged: dict[str, Judgement] = {}
    for found in logs:
        for command in found.record.commands:
            for option, wanted in (("--cpunodebind", command.cpu_nodes), ("--membind", command.mems)):
                for judgement in _judge((found, command), option, wanted or NodeSet(), topology, devices):
                    judged[judgement.subject] = _worse(judged.get(judgement.subject), judgement)
    yield from judged.values()
    if not judged:
        yield not_applicable("host")


def _worse(first: Judgement | None, second: Judgement) -> Judgement:
    order = ("fail", "unknown", "pass")
    return second if first is None or order.index(second.outcome.value) < order.index(first.outcome.value) else first


def _judge(
    where: tuple[Found[NumactlCommands], NumactlCommand], option: str, wanted: NodeSet, topology: Topology, devices: Devices
) -> Iterator[Judgement]:
    """One judgement for each NUMA node in a set; one that the host does not have is not this rule's."""
    known = [numa_node for number in wanted if (numa_node := topology.numa_node(number))]
    has = [_has(numa_node, option) for numa_node in known]
    line = cite_line(where[0].file, where[1].line)
    for numa_node, has_some in zip(known, has, strict=True):
        subject = f"numa_node:{numa_node.id}"
        if option == "--cpunodebind" and where[1].failure and numa_node.memory_bytes == 0 and has_some:
            yield _without_memory(where, wanted, numa_node)
        elif any(has):
            yield ok(subject, evidence=(line, *numa_node.evidence), wanted=wanted)
        elif has_some is None:
            yield unknown(subject, Gap("absent", f"{NUMA_NODES}/node{numa_node.id}", f"its {_WHAT[option]} are not known"))
        elif None not in has and len(known) == len(wanted):
            yield _failure(where, option, wanted, numa_node, topology, devices)


def _has(numa_node: NumaNode, option: str) -> bool | None:
    """Whether it has what the option asks for; None where that is not known."""
    has = numa_node.cpus if option == "--cpunodebind" else numa_node.memory_bytes
    return None if has is None else bool(has)


def _failure(
    where: tuple[Found[NumactlCommands], NumactlCommand],
    option: str,
    wanted: NodeSet,
    numa_node: NumaNode,
    topology: Topology,
    devices: Devices,
) -> Judgement:
    found, command = where
    gpu = next((gpu for gpu in devices.gpus if gpu.gpu_memory_node == numa_node.id), None)
    lines = [cite_line(found.file, number) for number in (command.line, command.failure_line) if number]
    return fail(
        f"numa_node:{numa_node.id}",
        severity=Severity.HIGH if command.failure else None,
        message="gpu" if gpu else None,
        related=(f"gpu:{gpu.name}",) if gpu else (),
        evidence=(*lines, *numa_node.evidence),
        option=option,
        wanted=wanted,
        what=_WHAT[option],
        numa_node=numa_node.id,
        gpu=gpu.name if gpu else None,
        gpu_numa_node=_right_node(gpu, numa_node, topology),
        instead=f"the NUMA node with the CPUs next to the GPU ({_right_node(gpu, numa_node, topology)})",
    )


def _without_memory(where: tuple[Found[NumactlCommands], NumactlCommand], wanted: NodeSet, numa_node: NumaNode) -> Judgement:
    found, command = where
    lines = [cite_line(found.file, number) for number in (command.line, command.failure_line) if number]
    return fail(
        f"numa_node:{numa_node.id}",
        severity=Severity.HIGH,
        message="no memory",
        evidence=(*lines, *numa_node.evidence),
        option="--cpunodebind",
        wanted=wanted,
        numa_node=numa_node.id,
        instead="the numbers of the CPUs (--physcpubind)",
    )


def _right_node(gpu: Gpu | None, numa_node: NumaNode, topology: Topology) -> NodeSet | str:
    """The NUMA node that was meant: that of the GPU's CPUs, else the nearest with CPUs."""
    home = home_of_gpus((gpu,), topology) if gpu else None
    if home and not isinstance(home, Gap):
        return home.numa_nodes
    near = topology.nearest_with_cpus(numa_node.id)
    return NodeSet((near.id,)) if near else "see numactl --hardware"
