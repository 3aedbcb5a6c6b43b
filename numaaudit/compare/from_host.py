"""A snapshot of the model: what of a host and its ranks outlives a restart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from numaaudit.bundle.tree import Gap
from numaaudit.compare.snapshot import FLOOR_BYTES, Fact, Pages, Recorded, Role, Snapshot
from numaaudit.core import page_kinds
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.gpus import Gpu
from numaaudit.model.hardware_class import Aspects, Value
from numaaudit.model.host import Host
from numaaudit.model.resident import counts, shared_names
from numaaudit.model.sampled import by_node, counted_kinds, estimated_bytes, most_bytes, sample_of
from numaaudit.model.sections.cgroups import Cgroup, Cgroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.hardware import Hardware, slot_of
from numaaudit.model.sections.interrupts import Interrupts
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import ANON, DEVICE, HUGETLB, SHM
from numaaudit.parse.parsers.page_sample import PageSample
from numaaudit.rules import RULE_SET
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Outcome

KINDS = {ANON: "anonymous", DEVICE: "pinned", SHM: "shared", HUGETLB: "huge"}
_SAMPLED = {
    ANON: frozenset({page_kinds.ANON}),
    DEVICE: frozenset({page_kinds.DRIVER}),
    SHM: frozenset({page_kinds.PINNED, page_kinds.SHM, page_kinds.NAMED_SHM}),
    HUGETLB: frozenset({page_kinds.HUGETLB}),
}


def snapshot_of(host: Host, audit: Audit, kind: str) -> Snapshot:
    """Everything comparable of a host and what the rules said of it; ``kind`` of its input."""
    system, hardware = host.section(System), host.section(Hardware)
    cards = {gpu.gpu_uuid: card(slot_of(gpu), gpu.index, gpu.gpu_minor) for gpu in host.section(Devices).gpus if gpu.gpu_uuid}
    environment: dict[str, Value] = {f"driver {name}": version for name, version in hardware.drivers.items()}
    environment |= {"kernel": system.kernel, "boot_id": system.boot_id, **_interrupts(host)}
    return Snapshot(
        kind,
        system.hostname,
        hardware.found,
        cards or None,
        environment,
        roles_of(host),
        tuple(recorded(audit, host)),
        RULE_SET,
        system.collected_at,
        system.mark,
    )


def card(slot: str, index: int | None, minor: int | None) -> Aspects:
    """What may move though the card is the same."""
    return {"slot": slot, "index": index, "minor": minor}


def recorded(audit: Audit, host: Host) -> Iterable[Recorded]:
    """Every finding. What passed or is unknown has the key that it would have if it failed: rules name a rank's GPUs only then."""
    canonical = {rank.subject: rank.canonical for rank in host.section(Ranks).all}
    canonical |= {f"gpu:{gpu.name}": gpu.canonical for gpu in host.section(Devices).gpus}
    for each in audit.findings:
        outcome, subject = each.judgement.outcome, each.judgement.subject
        named = each
        if outcome is not Outcome.FAIL and each.judgement.canonical is None:
            named = each._replace(judgement=each.judgement._replace(canonical=canonical.get(subject)))
        yield Recorded(named.fingerprint, each.rule.code, each.name, subject, outcome.value, each.severity.value)


def _interrupts(host: Host) -> Mapping[str, Value]:
    """The NUMA nodes that the vectors of each PCI device may go to: which vector goes where is decided anew all the time."""
    topology = host.section(Topology)
    cpus: defaultdict[str, CpuSet] = defaultdict(CpuSet)
    for each in host.section(Interrupts).all:
        if each.pci_address and each.affinity is not None:
            cpus[str(each.pci_address)] |= each.affinity
    return {f"interrupts of {address}": f"NUMA nodes {topology.numa_nodes_of(found)}" for address, found in sorted(cpus.items())}


def roles_of(host: Host) -> tuple[Role, ...]:
    """The ranks; on a host without ranks every process of the evidence."""
    ranks = host.section(Ranks).all
    processes = host.section(Processes).all
    shared = shared_names(processes)
    if ranks:
        return tuple(_role(rank.process, rank, host, shared) for rank in ranks)
    return tuple(_role(process, None, host, shared) for process in processes)


def _role(process: Process, rank: Rank | None, host: Host, shared: frozenset[str]) -> Role:
    boot_id = host.section(System).boot_id
    gpus = tuple(map(_card_name, rank.gpus)) if rank else ()
    start = (boot_id, process.pid, process.start_ticks) if boot_id and process.start_ticks is not None else None
    facts: dict[str, Fact] = {
        "gpus": " ".join(gpus) or None,
        "command": " ".join(process.argv) or None,
        "allowed_cpus": _text(process.allowed_cpus),
        "effective_cpus": _text(process.effective_cpus),
        "thread_cpus": classes(str(thread.allowed_cpus) for thread in process.threads if thread.allowed_cpus is not None),
        "allowed_mems": _text(process.allowed_mems),
        "cpuset": _chain(host.section(Cgroups).chain(process.pid)),
        "policy": process.policy,
        "thread_policies": classes(thread.policy for thread in process.threads if thread.policy),
        **_memory(process, shared, host),
    }
    return Role(rank.number if rank else None, gpus, process.comm, " ".join(process.argv) or None, start, facts)


def _card_name(gpu: Gpu) -> str:
    return gpu.gpu_uuid or slot_of(gpu)


def classes(values: Iterable[str]) -> str | None:
    """The different ones among many: how many threads are of each class is noise."""
    return " | ".join(sorted(set(values))) or None


def _chain(chain: tuple[Cgroup, ...]) -> str | None:
    """What the control groups from the root down let through, where it changes; their names hold ids of containers and sessions."""
    return " > ".join(dict.fromkeys(map(_given, reversed(chain)))) or None


def _given(group: Cgroup) -> str:
    cpus, mems = group.effective_cpus, group.effective_mems
    return ", ".join([*([f"CPUs {cpus}"] if cpus else []), *([f"memory {mems}"] if mems else [])]) or "nothing said"


def _memory(process: Process, shared: frozenset[str], host: Host) -> Mapping[str, Fact]:
    """Policies of mappings and bytes by NUMA node of each kind that counts; None where nothing tells.

    Where numa_maps was not read whole, policies are not known, and bytes are those of a sample.
    """
    names, sample = ("mapping_policies", *(f"{kind}_pages" for kind in KINDS.values())), sample_of(process)
    if sample:
        kinds = counted_kinds(process, host.section(Processes).all)
        return {names[0]: None, **{f"{KINDS[kind]}_pages": _sampled(process, sample, own & kinds, host) for kind, own in _SAMPLED.items()}}
    if isinstance(process.maps, Gap) or process.maps.record.is_partial:
        return dict.fromkeys(names)
    policies, sums = set(), {kind: defaultdict[int, int](int) for kind in KINDS}
    for total in process.maps.record.totals:
        if counts(total.kind, total.file) and total.file not in shared:
            policies.add(total.policy.text)
            for number, amount in total.bytes_by_node:
                sums[total.kind][number] += amount
    facts = (classes(policies), *(Pages(dict(sums[kind])) for kind in KINDS))
    return dict(zip(names, facts, strict=True))


def _sampled(process: Process, sample: Found[PageSample], kinds: frozenset[str], host: Host) -> Pages | None:
    """None where the sample says too little of a kind that may matter."""
    sizes = estimated_bytes(sample, kinds)
    shares = by_node(process, sample, kinds, (numa_node.id for numa_node in host.section(Topology).numa_nodes))
    if not isinstance(shares, Gap):
        return Pages(sizes, {number: (each.share.low, each.share.high) for number, each in shares.items()})
    most = most_bytes(sample, kinds)
    return Pages(sizes, {}) if most is not None and most < FLOOR_BYTES else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
