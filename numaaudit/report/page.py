"""A report as data: gates, one block a cause, what is not known folded by reason, ranks, coverage. The writers only lay it out."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.units import counted, format_bytes
from numaaudit.model.host import Host
from numaaudit.model.sections.cut_cpus import CutCpus
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.model.sections.window import Window
from numaaudit.model.settling import settling_commands
from numaaudit.report.blocks import Block, fold_subjects, make_blocks
from numaaudit.report.cut_text import cut_lines
from numaaudit.report.sampled_pages import sampled_cell
from numaaudit.report.view import Input, Shown, shown
from numaaudit.report.window_text import window_summary
from numaaudit.rules.engine import Audit
from numaaudit.rules.finding import Gate, Outcome
from numaaudit.rules.waiver import Waiver

NO_FILE = "evidence"  # what a gap without a path lacks: its reason says more
REMEDIES = {
    "refused": "run as the same user, as root, or with CAP_SYS_PTRACE",
    "timed-out": "collect again with a longer --deadline, or look for a hung device",
    "gone": "the process ended meanwhile; collect again",
    "cut": "collect with --pages full",
    "ambiguous": "run on the host: nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv",
    "not-run": "collect again and let it finish",
}


class Unknown(NamedTuple):
    """One reason why rules cannot judge: the same file missing in the same way, however often."""

    what: str
    kind: str
    reason: str
    num_processes: int
    rules: tuple[str, ...]
    subjects: str
    remedy: str

    @property
    def sentence(self) -> str:
        """``numa_maps refused for 8 processes (Permission denied): 2 rules cannot judge (NA301 NA302); run as …``."""
        many = f" for {self.num_processes} processes" if self.num_processes > 1 else ""
        rules = f"{counted(len(self.rules), 'rule')} cannot judge {self.subjects} ({' '.join(self.rules)})"
        what = f"{self.what} {self.kind}{many}{f' ({self.reason})' if self.reason else ''}"
        return f"{self.reason if self.what == NO_FILE and self.reason else what}: {rules}{f'; {self.remedy}' if self.remedy else ''}"


class RankRow(NamedTuple):
    """One rank as a table shows it."""

    subject: str
    pid: str
    gpu: str
    gpu_numa_node: str
    cpus: str
    cpu_numa_nodes: str
    memory: str


class Page(NamedTuple):
    """Everything a report says. ``about`` are (name, value); ``waived`` failures; ``others`` are findings that passed or do not apply.

    ``cuts``: which layer took which rank's CPUs, ready to be printed with equal widths.
    """

    about: tuple[tuple[str, str], ...]
    gates: tuple[tuple[str, str], ...]
    verdict: str
    blocks: tuple[Block, ...]
    unknowns: tuple[Unknown, ...]
    errors: tuple[str, ...]
    waived: tuple[str, ...]
    others: tuple[str, ...]
    ranks: tuple[RankRow, ...]
    cuts: tuple[str, ...]
    coverage: str
    last_line: str
    settling: tuple[str, ...] = ()  # of a pasted text: the commands whose output would tell more
    misplaced: frozenset[str] = frozenset()  # subjects that fail the placement gate


def make_page(audit: Audit, host: Host, source: Input, outcomes: frozenset[Outcome]) -> Page:
    """The page of an audit; ``outcomes`` says which findings are on it."""
    items = shown(audit, outcomes)
    others = [item for item in items if item.outcome in (Outcome.PASS, Outcome.NOT_APPLICABLE)]
    return Page(
        tuple(_about(host, source)),
        tuple((gate.value, state.replace("_", " ")) for gate, state in audit.gates.items()),
        audit.verdict,
        tuple(make_blocks([item for item in items if item.finding.counts])),
        tuple(fold_unknowns([item for item in items if item.outcome is Outcome.UNKNOWN])),
        tuple(item.message for item in items if item.outcome is Outcome.ERROR),
        tuple(_waived(item, item.finding.waiver) for item in items if item.finding.waiver),
        tuple(f"{item.outcome.value.replace('_', ' ')}: {item.finding.name} {item.subject}" for item in others),
        tuple(_rank_row(rank, host.section(Topology)) for rank in host.section(Ranks).all),
        tuple(cut_lines(host.section(CutCpus))),
        _coverage(audit, host),
        _last_line(audit),
        settling_commands(host) if source.kind in ("text", "xml") else (),
        frozenset(each.judgement.subject for each in audit.failing(audit.fail_on) if each.rule.gate is Gate.PLACEMENT),
    )


def _about(host: Host, source: Input) -> Iterable[tuple[str, str]]:
    system = host.section(System)
    yield "input", f"{source.path or 'this host'} ({source.kind})"
    if system.hostname:
        more = [f"kernel {system.kernel}" if system.kernel else "", "" if system.view == "host" else seen_from(system)]
        yield "host", ", ".join([system.hostname, *filter(None, more)])
    if system.gaps:
        yield "not seen", "; ".join(gap.reason.removeprefix("not seen from here: ") for gap in system.gaps)
    if system.collected_at:
        yield "collected", f"{system.collected_at}{f', marked {system.mark}' if system.mark else ''}"
    sample = host.section(Window).sample
    if sample:
        yield "window", window_summary(sample)
    if source.policy:
        yield "policy", f"{source.policy}{f', profile {source.profile}' if source.profile else ''}"
    if source.plugins:
        yield "plug-ins", ", ".join(source.plugins)


def seen_from(system: System) -> str:
    """``seen from vm (Firecracker)``."""
    return f"seen from {system.view}{f' ({system.machine})' if system.machine and system.view != 'host' else ''}"


def _waived(item: Shown, waiver: Waiver) -> str:
    until = f"until {waiver.expires}" if waiver.expires else "for good"
    return f"{item.finding.name} ({item.finding.rule.code}) {item.subject}: waived by {waiver.owner} {until}: {waiver.reason}"


def fold_unknowns(items: Iterable[Shown]) -> list[Unknown]:
    """One Unknown for each reason, in the order the reasons first appear."""
    by_reason: dict[tuple[str, str, str], list[tuple[Shown, Gap]]] = {}
    for item in items:
        for gap in item.finding.judgement.gaps or (Gap("absent", "", "evidence is missing"),):
            by_reason.setdefault(reason_of(gap), []).append((item, gap))
    return [_unknown(reason, pairs) for reason, pairs in by_reason.items()]


def _unknown(reason: tuple[str, str, str], pairs: list[tuple[Shown, Gap]]) -> Unknown:
    what, kind, why = reason
    pids = {match[1] for _, gap in pairs if (match := re.match(r"root/proc/(\d+)/", gap.path))}
    rules = tuple(sorted({item.finding.rule.code for item, _ in pairs}))
    remedy = "" if "as root" in why else REMEDIES.get(kind, "")  # the collector's own reason says it already
    return Unknown(what, kind, why, len(pids), rules, fold_subjects(dict.fromkeys(item.subject for item, _ in pairs)), remedy)


_OF_ONE = (  # what a path is called when it is told of many: the same file of each process or device
    (re.compile(r"^root/proc/\d+/(?:task/\d+/)?(.+)$"), r"\1"),
    (re.compile(r"^root/sys/bus/pci/devices/[^/]+/(.+)$"), r"\1 of PCI devices"),
)


def reason_of(gap: Gap) -> tuple[str, str, str]:
    """(what, kind, reason); ``root/proc/7/numa_maps`` is ``numa_maps`` to a reader who is told of eight processes."""
    what = gap.path
    for pattern, name in _OF_ONE:
        what = pattern.sub(name, what)
    return what or NO_FILE, gap.kind, gap.reason


def _rank_row(rank: Rank, topology: Topology) -> RankRow:
    cpus, maps = rank.process.effective_cpus, rank.process.maps
    sizes = {} if isinstance(maps, Gap) or maps.record.is_partial else maps.record.bytes_by_node()
    return RankRow(
        rank.subject,
        str(rank.process.pid),
        " ".join(gpu.name for gpu in rank.gpus) or "not known",
        " ".join(str(gpu.numa_node if gpu.numa_node is not None else gpu.numa_nodes or "not known") for gpu in rank.gpus),
        "not known" if cpus is None else str(cpus),
        "" if cpus is None else str(topology.numa_nodes_of(cpus)),
        ", ".join(f"{format_bytes(size)} on {number}" for number, size in sizes.items()) or sampled_cell(rank.process) or "not known",
    )


def _coverage(audit: Audit, host: Host) -> str:
    topology, devices, ranks = host.section(Topology), host.section(Devices), host.section(Ranks)
    judged = sorted({finding.rule.code for finding in audit.findings if finding.judgement.outcome in (Outcome.PASS, Outcome.FAIL)})
    return (
        f"looked at {counted(len(ranks.all), 'rank')}, {counted(len(devices.gpus), 'GPU')}, "
        f"{counted(len(topology.numa_nodes), 'NUMA node')}; "
        f"{len(judged)} of {len(audit.rules)} rules could judge something{': ' + ' '.join(judged) if judged else ''}"
    )


def _last_line(audit: Audit) -> str:
    """Failures that turn no gate are counted apart: a verdict of pass would stand beside them."""
    failing = len(audit.failing(audit.fail_on))
    counts = {
        "fail": failing,
        f"below --fail-on {audit.fail_on.value}": audit.count(Outcome.FAIL) - audit.num_waived - failing,
        "unknown": audit.count(Outcome.UNKNOWN),
        "pass": audit.count(Outcome.PASS),
        "error": audit.count(Outcome.ERROR),
        "waived": audit.num_waived,
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count or what in ("fail", "unknown", "pass"))
