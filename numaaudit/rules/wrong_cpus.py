"""A rank that fails for the CPUs of its threads: what the rules about that have in common."""

from collections.abc import Callable
from typing import Any

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.locality import Home
from numaaudit.model.sections.ranks import Rank
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import union, work_of
from numaaudit.rules.finding import Confidence, Judgement, Severity, fail
from numaaudit.rules.naming import Naming
from numaaudit.rules.remedies import bind_command


def wrong_cpus(
    rank: Rank,
    topology: Topology,
    home: Home,
    is_wrong: Callable[[CpuSet], bool],
    idle_share: float,
    near: Severity,
    message: str | None = None,
    **facts: Any,
) -> Judgement:
    """Failed for the CPUs of its main thread, else for those of the other threads that are wrong (the message is then ``threads``).

    ``near`` is the severity where these CPUs and the GPU's are of one package.
    """
    work, main = work_of(rank.process), rank.process.effective_cpus or CpuSet()
    wrong, is_main = work.matching(is_wrong), is_wrong(main)
    cpus, evidence = (main, rank.process.evidence) if is_main else (union(wrong), wrong[0][0].evidence)
    share = sum(share for _, share in wrong)
    is_certain = work.is_measured or not work.shares or share > 1 - idle_share
    numa_nodes = topology.numa_nodes_of(cpus)
    return fail(
        rank.subject,
        severity=near if topology.same_package(cpus, home.cpus) else None,
        message=message if is_main else "threads",
        confidence=Confidence.CERTAIN if is_certain else Confidence.LIKELY,
        related=(*rank.related, *(f"numa_node:{number}" for number in numa_nodes)),
        evidence=evidence + home.evidence,
        commands=bind_command(rank, home),
        cpus=cpus,
        numa_nodes=numa_nodes,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        local_cpus=home.cpus,
        percent=round(100 * share),
        **Naming(rank.process, rank).details,
        **facts,
    )
