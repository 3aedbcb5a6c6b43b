"""What a launcher's model says: for each rank the CPUs and the memory policy asked for, which threads get them, and when."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.launchers.job import Job, Option
from numaaudit.model.gpus import Gpu

DEFAULT_POLICY = "default"


class Outcome(str, Enum):
    """``refuses``: the rank does not start. ``no-effect``: it starts with the mask it already had."""

    BINDS = "binds"
    REFUSES = "refuses"
    NO_EFFECT = "no-effect"


class Reach(str, Enum):
    """Affinity and policy are per thread: who has them once the rank serves."""

    ALL_THREADS = "all-threads"
    MAIN_THREAD = "main-thread"
    NEW_THREADS = "new-threads"


class Stage(str, Enum):
    """When: threads that were started and pages that were touched before keep what they had."""

    BEFORE_EXEC = "before-exec"
    BEFORE_CUDA = "before-cuda"
    AFTER_CUDA = "after-cuda"


class Binding(NamedTuple):
    """What one rank is given. ``cpus`` None: the evidence does not tell. ``policy`` as numa_maps prints it, None: not known.

    ``keeps``: the mask that stays where the launcher has no effect, None: the one that it started with.
    ``reason``: why it refuses or has no effect. ``gpu``: the one that the launcher picks, where the job's order does not.
    """

    cpus: CpuSet | None
    policy: str | None = DEFAULT_POLICY
    outcome: Outcome = Outcome.BINDS
    reason: str = ""
    notes: tuple[str, ...] = ()
    keeps: CpuSet | None = None
    gpu: Gpu | None = None

    def noting(self, *notes: str) -> "Binding":
        return self._replace(notes=self.notes + tuple(note for note in notes if note))


class Prediction(NamedTuple):
    """One binding a rank. ``confidence`` is the model's; facts that are missing lower it further."""

    bindings: tuple[Binding, ...]
    reaches: Reach = Reach.ALL_THREADS
    stage: Stage = Stage.BEFORE_EXEC
    confidence: Confidence = Confidence.CERTAIN

    @property
    def outcome(self) -> Outcome:
        """Refused if one rank is: such a job does not start. No effect if none binds."""
        outcomes = {binding.outcome for binding in self.bindings}
        if Outcome.REFUSES in outcomes:
            return Outcome.REFUSES
        return Outcome.NO_EFFECT if outcomes <= {Outcome.NO_EFFECT} else Outcome.BINDS

    @property
    def reason(self) -> str:
        """The first reason of those that decide the outcome."""
        return next((binding.reason for binding in self.bindings if binding.outcome is self.outcome and binding.reason), "")


class NotKnownError(Exception):
    """The evidence lacks a fact that the launcher reads."""


class Launcher(NamedTuple):
    """A launcher's identity. ``needs``: options without which there is nothing to predict.

    ``serves_gpus``: its ranks are about GPUs; else they have none, and there is one for each NUMA node with CPUs.
    """

    version: str
    source: str
    options: tuple[Option, ...] = ()
    needs: tuple[str, ...] = ()
    serves_gpus: bool = True


def for_each_rank(job: Job, bind: Callable[[int], Binding]) -> tuple[Binding, ...]:
    """One binding a rank; unknown CPUs for a rank about which a fact is missing."""
    return tuple(_bound(bind, rank) for rank in job.ranks)


def _bound(bind: Callable[[int], Binding], rank: int) -> Binding:
    try:
        return bind(rank)
    except NotKnownError as error:
        return unknown(str(error))


def unknown(why: str) -> Binding:
    return Binding(None, None, notes=(f"not known: {why}",))


def refused(reason: str, cpus: CpuSet | None = None, policy: str | None = DEFAULT_POLICY) -> Binding:
    """The rank does not start."""
    return Binding(cpus, policy, Outcome.REFUSES, reason)


def unbound(reason: str, cpus: CpuSet | None = None, policy: str | None = DEFAULT_POLICY) -> Binding:
    """The rank starts with the mask that it had. ``cpus``: what was asked for in vain."""
    return Binding(CpuSet() if cpus is None else cpus, policy, Outcome.NO_EFFECT, reason)


def same_for_all(job: Job, binding: Binding) -> tuple[Binding, ...]:
    return (binding,) * job.num_ranks


def bind_to(numa_nodes: Iterable[int]) -> str:
    """The policy MPOL_BIND as numa_maps prints it."""
    return f"bind:{NodeSet(numa_nodes)}"


def prefer(numa_node: int) -> str:
    """The policy MPOL_PREFERRED as numa_maps prints it."""
    return f"prefer:{numa_node}"
