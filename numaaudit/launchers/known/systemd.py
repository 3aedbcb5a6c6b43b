"""systemd: CPUAffinity= and NUMAPolicy= of a unit, AllowedCPUs= and AllowedMemoryNodes= of its control group.

Source: systemd/systemd ``src/shared/numa-util.c`` @ 03dc85c, systemd.exec(5), systemd.resource-control(5). Both are applied in the child
before exec and may be undone by the program; a cpuset may not. What the kernel refuses ends the unit, exit status 215 or 242.
"""

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError, UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option, cpus_in
from numaaudit.launchers.prediction import DEFAULT_POLICY, Binding, Launcher, Prediction, refused, same_for_all, unbound

_POLICIES = {"default": "default", "preferred": "prefer", "bind": "bind", "interleave": "interleave", "local": "local"}
LAUNCHER = Launcher(
    version="systemd.exec(5)",
    source="systemd src/shared/numa-util.c",
    options=(
        Option("cpu-affinity", "", "CPUAffinity=, a list or numa"),
        Option("numa-policy", "", "NUMAPolicy=", ("", *_POLICIES)),
        Option("numa-mask", "", "NUMAMask="),
        Option("allowed-cpus", "", "AllowedCPUs="),
        Option("allowed-memory-nodes", "", "AllowedMemoryNodes="),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The same for every process of the unit."""
    return Prediction(same_for_all(job, _unit(view, job)))


def _unit(view: HostView, job: Job) -> Binding:
    ceiling = view.allowed_cpus if not job.text("allowed-cpus") else view.allowed_cpus & cpus_in(job.text("allowed-cpus"), "allowed-cpus")
    mems, mask = _nodes(job, "allowed-memory-nodes"), _nodes(job, "numa-mask")
    cpus = _affinity(view, job, mask)
    policy, failure = _policy(job, mask, view.allowed_mems & mems if mems else view.allowed_mems)
    if failure:
        return refused(failure, cpus or ceiling, policy)
    if cpus is None:
        reason = "the unit sets no CPUs" if not job.text("allowed-cpus") else ""
        return Binding(ceiling, policy) if not reason or policy != DEFAULT_POLICY else unbound(reason)
    if cpus.isdisjoint(ceiling):
        return refused("exit status 215 (CPUAFFINITY): none of the CPUs is allowed", cpus, policy)
    return Binding(cpus & ceiling if job.text("allowed-cpus") else cpus, policy)


def _affinity(view: HostView, job: Job, mask: NodeSet) -> CpuSet | None:
    text = job.text("cpu-affinity")
    if text == "numa":
        return view.topology.cpus_of(mask)
    return cpus_in(text.replace(" ", ","), "cpu-affinity") if text else None


def _policy(job: Job, mask: NodeSet, mems: NodeSet) -> tuple[str, str]:
    """The policy as numa_maps prints it, and why the kernel or systemd refuses it."""
    name = job.text("numa-policy")
    if name in ("", "default", "local"):
        return name or DEFAULT_POLICY, ""
    policy = f"{_POLICIES[name]}:{mask}"
    if not mask or (name == "preferred" and len(mask) > 1):
        return policy, f"NUMAPolicy={name} needs {'one NUMA node' if name == 'preferred' else 'NUMA nodes'} in NUMAMask="
    return policy, "" if not mask.isdisjoint(mems) else "exit status 242 (NUMA_POLICY): none of the NUMA nodes is allowed"


def _nodes(job: Job, name: str) -> NodeSet:
    try:
        return NodeSet.parse(job.text(name).replace(" ", ","))
    except ParseError as error:
        raise UsageError(f"{name}: {error}") from None
