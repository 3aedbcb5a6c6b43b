"""What ``numactl`` and ``taskset`` in front of a program do with the mask and policy they were started with.

Source: numactl(8) and numactl 2.0.19 @ 93c1fe5, ``numactl.c``, ``libnuma.c``; taskset(1) of util-linux.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError, UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.numactl_checks import refused_numa_node, refused_range
from numaaudit.launchers.prediction import NotKnownError


class State(NamedTuple):
    """Mask and policy on the way from wrapper to wrapper. ``asked`` None: no wrapper set a mask yet. ``refusal``: it ends here."""

    asked: CpuSet | None
    policy: str
    refusal: str = ""


_VALUES = {
    "-N": "cpunodebind",
    "-C": "physcpubind",
    "-m": "membind",
    "-p": "preferred",
    "-P": "preferred-many",
    "-i": "interleave",
    "-w": "weighted-interleave",
}
_SWITCHES = {"-l": "localalloc", "-a": "all", "-b": "balancing"}
_POLICIES = {
    "membind": "bind:{}",
    "preferred": "prefer:{}",
    "preferred-many": "prefer (many):{}",
    "interleave": "interleave:{}",
    "weighted-interleave": "weighted interleave:{}",
}


def numactl(view: HostView, words: list[str], state: State) -> tuple[State, list[str]]:
    """Apply its options in order; what follows them is the program. CPU numbers are checked against the mask it starts with."""
    rest, started = list(words), view.allowed_cpus if state.asked is None else state.asked & view.allowed_cpus
    while rest and rest[0].startswith("-"):
        name, value, rest = _option(rest, _VALUES, _SWITCHES)
        if name == "--":
            break
        state = _applied(view, started, name, value, state)
        if state.refusal:
            break
    return state, rest


def _option(words: list[str], values: dict[str, str], switches: dict[str, str]) -> tuple[str, str, list[str]]:
    """(long name, value, what follows) of the first word: ``-N0``, ``-N 0``, ``--cpunodebind=0`` or ``--cpunodebind 0``."""
    word, rest = words[0], words[1:]
    if word == "--":
        return "--", "", rest
    long, equals, value = word[2:].partition("=") if word.startswith("--") else (values.get(word[:2], ""), word[2:], word[2:])
    if long in values.values():
        if not equals and not rest:
            raise UsageError(f"{word} needs a value")
        return (long, value.lstrip("="), rest) if equals else (long, rest[0], rest[1:])
    short = switches.get(word) or (word[2:] if word[2:] in switches.values() else None)
    if short is None:
        raise UsageError(f"no option {word!r} is known here")
    return short, "", rest


def _applied(view: HostView, started: CpuSet, name: str, value: str, state: State) -> State:
    if name == "localalloc":
        return state._replace(policy="local")
    if name in ("all", "balancing"):
        return state
    if name == "physcpubind":
        return _physcpubind(view._replace(allowed_cpus=started), value, state)
    numa_nodes = _numa_nodes(view, value)
    refusal = refused_numa_node(view, numa_nodes)
    if refusal:
        return state._replace(refusal=refusal)
    if name == "cpunodebind":
        cpus = view.topology.cpus_of(numa_nodes)
        failed = "numactl exits 1: sched_setaffinity: Invalid argument" if cpus.isdisjoint(view.allowed_cpus) else ""
        return state._replace(asked=cpus, refusal=failed)
    return state._replace(policy=_POLICIES[name].format(numa_nodes))


def _physcpubind(view: HostView, value: str, state: State) -> State:
    if value == "all":
        return state._replace(asked=view.allowed_cpus)
    if value[:1] == "!":
        return state._replace(asked=view.allowed_cpus - _cpus(value[1:]))
    if value[:1] == "+":
        allowed = list(view.allowed_cpus)
        relative = [cpu for cpu in _cpus(value[1:]) if cpu < len(allowed)]
        return state._replace(asked=CpuSet(allowed[cpu] for cpu in relative))
    ranges = [(int(first), int(last or first)) for first, last in re.findall(r"(\d{1,5})(?:-(\d{1,5}))?", value)]
    return state._replace(asked=_cpus(value), refusal=refused_range(view, ranges) or "")


def _numa_nodes(view: HostView, text: str) -> NodeSet:
    if text == "all":
        return view.allowed_mems
    if ":" in text:
        raise NotKnownError(f"which NUMA nodes {text} names")
    try:
        if text[:1] == "!":
            return view.allowed_mems - NodeSet.parse(text[1:])
        if text[:1] == "+":
            allowed = list(view.allowed_mems)
            return NodeSet(allowed[each] for each in NodeSet.parse(text[1:]) if each < len(allowed))
        return NodeSet.parse(text)
    except ParseError as error:
        raise UsageError(f"numactl: {error}") from None


def _cpus(text: str) -> CpuSet:
    try:
        return CpuSet.parse(text)
    except ParseError as error:
        raise UsageError(f"numactl: {error}") from None


def taskset(view: HostView, words: list[str], state: State) -> tuple[State, list[str]]:
    """``taskset MASK program`` or ``taskset -c LIST program``."""
    rest = list(words)
    read: Callable[[str], CpuSet] = CpuSet.from_mask
    while rest and rest[0].startswith("-"):
        if rest[0] not in ("-c", "--cpu-list", "-a", "--all-tasks"):
            raise UsageError(f"no option {rest[0]!r} is known here: taskset in front of a program is")
        read = CpuSet.parse if rest[0] in ("-c", "--cpu-list") else read
        rest = rest[1:]
    if not rest:
        raise UsageError("taskset needs a mask")
    try:
        cpus = read(rest[0])
    except ParseError as error:
        raise UsageError(f"taskset: {error}") from None
    failed = "taskset exits 1: failed to set affinity: Invalid argument" if cpus.isdisjoint(view.allowed_cpus) else ""
    return state._replace(asked=cpus, refusal=failed), rest[1:]
