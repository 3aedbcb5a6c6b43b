"""# gres-cores-off-gpu-node (NA608)

Slurm's gres.conf gives a GPU cores that lie on none of the NUMA node the GPU hangs on.

## What it checks

Each GPU that a line of gres.conf names by its device file, with `Cores=`. Slurm counts cores socket after socket and core after
core, without threads; the rule counts so too, and compares the CPUs of these cores with those of the GPU's NUMA node. It fails where
they share none. Not applicable to a GPU without such a line, where the line is for other hosts, and where `AutoDetect` lets the
driver say.

## Why it matters

Slurm gives a job with this GPU these cores where it can, and `--gres-flags=enforce-binding` gives no others. Every job is then bound
to the wrong side of the host, and no launcher inside of the job can leave the cores that it got.

## Evidence

`/etc/slurm/gres.conf`, `/sys/devices/system/cpu/cpu*/topology`. Unknown where the GPU's NUMA node, or cores or packages, are not known.

## How to fix

Mostly the numbers are those of the kernel's CPUs (`lscpu`): convert them to Slurm's, or let `AutoDetect=nvml` do it, and restart
slurmd. Where the kernel alternates between sockets, the two differ from the second CPU on.

## How to verify

`slurmd -G` prints the cores it takes for near each device; `numaaudit check` passes.

## False positives

A board with more than one die a socket may count sockets otherwise (`l3cache_as_socket`, `numa_node_as_socket`): then the numbers are
those of the dies.

## References

- https://slurm.schedmd.com/gres.conf.html
- https://slurm.schedmd.com/gres.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import cite_line
from numaaudit.model.gpus import Gpu
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.gres_conf import GresConf, GresLine
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA608", gate=Gate.PLACEMENT, category="scheduler-binding", severity=Severity.MEDIUM, experimental=True)
MESSAGE = (
    "Slurm takes cores {cores} for near GPU {gpu}: CPUs {cpus}, none of them on NUMA node {gpu_numa_node}, where the GPU hangs{reading}."
)
FIX = "Write Cores={local_cores} for {file} into gres.conf, or AutoDetect=nvml."


def check(found: tuple[Found[GresConf], ...], devices: Devices, topology: Topology, system: System) -> Iterator[Judgement]:
    for each in found[:1]:
        for gpu in devices.gpus:
            line = _line_of(gpu, each.record, system.hostname)
            yield _judge(gpu, line, each, topology) if line else not_applicable(f"gpu:{gpu.name}")


def _line_of(gpu: Gpu, conf: GresConf, hostname: str | None) -> GresLine | None:
    """The line with cores that is this host's and names one of the GPU's device files."""
    own = (hostname or "").partition(".")[0]
    lines = [line for line in conf.lines if line.cores is not None and (not line.hosts or own in line.hosts)]
    return next((line for line in lines if set(line.files) & set(gpu.device_files)), None) if not conf.autodetect else None


def _judge(gpu: Gpu, line: GresLine, found: Found[GresConf], topology: Topology) -> Judgement:
    subject, cores = f"gpu:{gpu.name}", _in_slurms_order(topology)
    numa_node = topology.numa_node(gpu.numa_node) if gpu.numa_node is not None else None
    if numa_node is None or not numa_node.cpus:
        return unknown(subject, gpu.gap or Gap("absent", "", "the CPUs of its NUMA node are not known"))
    wanted = line.cores or CpuSet()
    if not cores or max(wanted, default=0) >= len(cores):
        return unknown(subject, Gap("absent", "", "not all of these cores are known by socket"))
    cpus = CpuSet(cpu for number in wanted for cpu in cores[number])
    if not cpus.isdisjoint(numa_node.cpus):
        return ok(subject, cpus=cpus)
    is_kernels = not wanted.isdisjoint(numa_node.cpus)
    return fail(
        subject,
        evidence=(cite_line(found.file, line.line), *gpu.evidence),
        confidence=Confidence.LIKELY,
        canonical=gpu.canonical,
        gpu=gpu.name,
        cores=wanted,
        cpus=cpus,
        gpu_numa_node=gpu.numa_node,
        reading="; as numbers of the kernel's CPUs they would be" if is_kernels else "",
        local_cores=CpuSet(number for number, core in enumerate(cores) if not core.isdisjoint(numa_node.cpus)),
        file=min(set(line.files) & set(gpu.device_files)),
    )


def _in_slurms_order(topology: Topology) -> list[CpuSet]:
    """All cores, package after package, in each by its lowest CPU; none where a package's cores are not known."""
    packages = sorted((package.cpus for package in topology.packages if package.cpus), key=min)
    return [core for cpus in packages for core in sorted(topology.cores_of(cpus), key=min)]
