"""# cores-lie-across-numa-nodes (NA104)

The host's NUMA nodes cut through its cores or mix its packages, as no machine is built: mostly a virtual machine that was
defined so.

## What it checks

Whether all hardware threads of each core lie on one NUMA node, and, on a host with at least as many NUMA nodes with CPUs as
packages, whether each of these NUMA nodes lies in one package. It fails with `medium` where a rank runs on the host, else it
is a note (`info`). Silent on a host with one NUMA node, and where the lists agree; unknown where neither siblings nor packages
are known.

## Why it matters

Kernel, launchers and libraries trust these lists. Where a guest's NUMA nodes are cut through the middle of its cores, "local"
CPUs share a core with remote ones, and memory that the guest calls local may be anywhere on the hypervisor's host: a placement
that looks aligned is not.

## Evidence

`/sys/devices/system/cpu/cpu*/topology/` (core_cpus_list, physical_package_id) and `/sys/devices/system/node/node*/cpulist`, or
lscpu and `lscpu -e`.

## How to fix

Let the guest's definition follow its cores: in libvirt the `<cell cpus=…>` of `<numa>` together with `<topology sockets=
cores= threads=>` and vCPU pinning, in QEMU `-numa cpu,socket-id=,core-id=` in place of CPU ranges.

## How to verify

`lscpu -e=CPU,CORE,SOCKET,NODE` in the guest: rows of one core have one number in the last column.

## False positives

On hardware NUMA nodes are made of whole cores, also where they are parts of a package (SNC, NPS, a NUMA node for each L3). The
kernel's own `numa=fake=` cuts memory and may do so with CPUs; partitions of a POWER host with shared processors have no fixed
place at all.

## References

- https://github.com/open-mpi/hwloc/issues/712
- https://docs.kernel.org/admin-guide/cputopology.html
- https://libvirt.org/formatdomain.html#cpu-model-and-topology
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_numa import NumaNode
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA104", gate=Gate.IDENTITY, category="numa-node-unknown", severity=Severity.MEDIUM)
MESSAGE = (
    "CPUs {cpus} are one core and lie on NUMA nodes {numa_nodes}: no machine is built so. A guest whose hypervisor was told "
    "other NUMA nodes than cores (a virtual machine) shows this."
)
MESSAGES = {
    "packages": "NUMA node {numa_nodes} has CPUs {cpus} of packages {packages}, on a host with {num_nodes} NUMA nodes: no machine is "
    "built so. A guest whose hypervisor was told other NUMA nodes than sockets (a virtual machine) shows this."
}
FIX = "Define the guest's NUMA nodes along its sockets and cores; until then trust no placement that is judged from inside."

_SIBLINGS = "root/sys/devices/system/cpu/cpu*/topology/core_cpus_list"


def check(topology: Topology, ranks: Ranks) -> Iterator[Judgement]:
    if not topology.numa_nodes or topology.has_one_cpu_node():
        yield not_applicable("host")
        return
    core = next((core for core in topology.siblings if len(topology.numa_nodes_of(core)) > 1), None)
    numa_node = _across_packages(topology)
    if core is not None:
        yield _failure(topology, ranks, core)
    elif numa_node is not None:
        yield _failure(topology, ranks, numa_node.cpus or CpuSet(), numa_node)
    elif topology.siblings or topology.packages or topology.threads_per_core == 1:
        yield ok("host", numa_nodes=topology.cpu_nodes)
    else:
        yield unknown("host", Gap("absent", _SIBLINGS, "which CPUs share a core is not known"))


def _across_packages(topology: Topology) -> NumaNode | None:
    """A NUMA node with CPUs of several packages, where there are enough NUMA nodes for each package to have its own."""
    if len(topology.cpu_nodes) < len(topology.packages):
        return None
    return next((each for each in topology.numa_nodes if each.cpus and len(topology.packages_of(each.cpus)) > 1), None)


def _failure(topology: Topology, ranks: Ranks, cpus: CpuSet, numa_node: NumaNode | None = None) -> Judgement:
    numbers = topology.numa_nodes_of(cpus)
    return fail(
        "host",
        severity=None if ranks.all else Severity.INFO,
        message="packages" if numa_node else None,
        related=tuple(f"numa_node:{number}" for number in numbers),
        evidence=tuple(line for each in topology.numa_nodes if each.id in numbers for line in each.evidence[:1]),
        canonical="cores across NUMA nodes",
        cpus=cpus,
        numa_nodes=numbers,
        num_nodes=len(topology.cpu_nodes),
        packages=", ".join(str(package.id) if package.id is not None else str(package.cpus) for package in topology.packages_of(cpus)),
    )
