"""What a judgement is worth from where the evidence was collected.

In a container or a sandbox nobody sees the whole host: a rule about the host or its hardware can fail there or be unknown, and never
passes. A virtual machine's CPUs, NUMA nodes and distances are what its hypervisor says, so nothing that is judged by them is certain.
"""

from numaaudit.bundle.tree import Gap
from numaaudit.model.sections.system import System
from numaaudit.rules.finding import Confidence, Judgement, Outcome, Rule, unknown

_OF_HOST = frozenset(("host", "numa_node", "package", "cpus", "gpu", "nic", "nvme", "irq"))  # kinds of subjects
_PARTIAL = ("container", "sandbox")


def seen_from(system: System, rule: Rule, judgement: Judgement) -> Judgement:
    """The judgement as it stands from there. What judges the evidence itself stands anywhere."""
    if rule.category == "evidence-gap":
        return judgement
    if judgement.outcome is Outcome.PASS and system.view in _PARTIAL and judgement.subject.partition(":")[0] in _OF_HOST:
        gap = Gap("absent", "", f"collected in a {system.view}, which may not be shown what the host has")
        return unknown(judgement.subject, gap, related=judgement.related)
    if judgement.outcome is Outcome.FAIL and system.machine and judgement.confidence is Confidence.CERTAIN:
        return judgement._replace(confidence=Confidence.LIKELY)
    return judgement
