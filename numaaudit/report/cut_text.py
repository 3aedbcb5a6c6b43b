"""Which layer took a rank's CPUs, as lines and for machines."""

from collections.abc import Iterable, Iterator
from typing import Any

from numaaudit.core.visible import one_line
from numaaudit.model.cpu_layers import Layer
from numaaudit.model.sections.cut_cpus import CutCpus, CutRank

MOST_RANKS = 4  # of a report; explain names them all


def cut_lines(cuts: CutCpus) -> list[str]:
    """The layers of the first ranks that were cut, each on one line; empty where none was."""
    lines = [line for cut in cuts.all[:MOST_RANKS] for line in layer_lines(cut)]
    more = cuts.all[MOST_RANKS:]
    return [*lines, f"and {len(more)} more: {' '.join(one_line(cut.rank.subject) for cut in more)}"] if more else lines


def layer_lines(cut: CutRank) -> Iterator[str]:
    """``rank:3 lacks CPUs 28-31, first taken by Docker: cgroup /…``, then layer by layer what each lets through, and takes."""
    by = f"{cut.first.owner}: " if cut.first.owner else ""
    yield one_line(f"{cut.rank.subject} lacks CPUs {cut.lost.short}, first taken by {by}{cut.first.name}")
    wanted = f"asked for by {cut.by}" if cut.by else "of its GPU's NUMA node"
    rows = [(cut.wanted.short, "", wanted), *(_row(layer) for layer in cut.layers)]
    cpus_width, taken_width = (max(len(row[at]) for row in rows) for at in (0, 1))
    yield from (one_line(f"  {cpus:<{cpus_width}}  {taken:<{taken_width}}  {name}") for cpus, taken, name in rows)


def _row(layer: Layer) -> tuple[str, str, str]:
    owner = f" ({layer.owner})" if layer.owner else ""
    return layer.cpus.short, f"takes {layer.taken.short}" if layer.taken else "", layer.name + owner


def cut_documents(cuts: Iterable[CutRank]) -> list[dict[str, Any]]:
    """``cut_cpus`` of the report for machines."""
    return [
        {
            "subject": cut.rank.subject,
            "asked_by": cut.by,
            "wanted": str(cut.wanted),
            "lost": str(cut.lost),
            "first": cut.first.name,
            "layers": [
                {"name": layer.name, "owner": layer.owner, "cpus": str(layer.cpus), "taken": str(layer.taken)} for layer in cut.layers
            ],
        }
        for cut in cuts
    ]
