"""How NVIDIA's ``gpu_affinity`` scripts share out the cores of GPUs that have the same CPUs.

Source: NVIDIA/DeepLearningExamples @ 729963d, ``gpu_affinity.py`` of its models; NVIDIA/gpu_affinity @ 5d5e28b.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView

C = TypeVar("C", bound=Hashable)


def shared_out(lists: Sequence[tuple[C, ...]], interleaved: bool, balanced: bool) -> list[tuple[C, ...]]:
    """Each GPU's own part of its list. ``balanced``: all parts are as long as the shortest would be."""
    members: dict[tuple[C, ...], list[int]] = {}
    for number, each in enumerate(lists):
        members.setdefault(each, []).append(number)
    least = min(len(cores) // len(numbers) for cores, numbers in members.items())
    parts: dict[int, tuple[C, ...]] = {}
    for cores, numbers in members.items():
        quota = least if balanced else len(cores) // len(numbers)
        pool = cores[: quota * len(numbers)] if balanced else cores
        for place, number in enumerate(numbers):
            parts[number] = pool[place :: len(numbers)] if interleaved else pool[place * quota : (place + 1) * quota]
    return [parts[number] for number in range(len(lists))]


def first_untaken(lists: Sequence[tuple[C, ...]]) -> list[tuple[C, ...]]:
    """The first entry of each list that no list before it took; a list that has none is left out, and those behind move up."""
    taken: list[C] = []
    for each in lists:
        free = next((core for core in each if core not in taken), None)
        if free is not None:
            taken.append(free)
    return [(core,) for core in taken]


def cores_by_pairs(view: HostView, cpus: CpuSet) -> tuple[CpuSet, ...]:
    """CPUs by the first two numbers of their list of siblings: of a core with four threads the others stay alone."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for cpu in cpus:
        siblings = sorted(view.core_of(cpu))[:2]
        groups.setdefault(tuple(siblings) if len(siblings) == 2 and cpu in siblings else (cpu,), []).append(cpu)
    return tuple(CpuSet(groups[key]) for key in sorted(groups))


def are_equal_or_disjoint(masks: Sequence[CpuSet]) -> bool:
    return all(a == b or a.isdisjoint(b) for a in masks for b in masks)
