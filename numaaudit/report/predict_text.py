"""Forecasts of launchers for people: one table a launcher, as wide as the terminal."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from numaaudit.core.cpuset import IdSet
from numaaudit.core.visible import one_line
from numaaudit.launchers.placement import PlacedRank, Placement
from numaaudit.launchers.prediction import Outcome
from numaaudit.launchers.registry import Forecast
from numaaudit.report.terminal import Style

HEADINGS = ("rank", "GPU", "NUMA", "placement", "memory", "CPUs")
_COLOURS = {Placement.LOCAL: "pass", Placement.REMOTE: "fail", Placement.STRADDLING: "fail", Placement.NEAR: "medium"}
_REACH = {"all-threads": "all threads", "main-thread": "the main thread only", "new-threads": "threads started later"}
_STAGE = {"before-exec": "before exec", "before-cuda": "in the process, before CUDA", "after-cuda": "in the process, after CUDA"}


def forecast_lines(forecasts: Sequence[Forecast], style: Style) -> list[str]:
    """Every forecast, a blank line between them."""
    lines: list[str] = []
    for forecast in forecasts:
        lines += ["", *_forecast(forecast, style)] if lines else _forecast(forecast, style)
    return lines


def _forecast(forecast: Forecast, style: Style) -> Iterator[str]:
    launcher, prediction = forecast.launcher, forecast.prediction
    yield from style.wrap(f"{launcher.name}  ({launcher.launcher.version}; {forecast.confidence.value})", "", "  ")
    chosen = " ".join(f"{name}={value}" for name, value in forecast.job.options.items() if value)
    if chosen:
        yield from style.wrap(f"options   {chosen}", "", " " * 10)
    if prediction.outcome is Outcome.BINDS:
        yield from style.wrap(f"reaches   {_REACH[prediction.reaches.value]}, set {_STAGE[prediction.stage.value]}", "", " " * 10)
    else:
        word = "REFUSES" if prediction.outcome is Outcome.REFUSES else "no effect"
        yield from style.wrap(f"{word:<10}{prediction.reason}", "", " " * 10)
    if forecast.view.is_constrained:
        yield from style.wrap(
            f"cpuset    CPUs {forecast.view.allowed_cpus}, memory of NUMA nodes {forecast.view.allowed_mems}", "", " " * 10
        )
    yield from _table(forecast, style)
    yield from _notes(forecast.ranks, prediction.reason, style)
    yield _summary(forecast.ranks)


def _table(forecast: Forecast, style: Style) -> Iterator[str]:
    """The CPUs come last and take what is left of the line."""
    rows = [_cells(rank) for rank in forecast.ranks]
    widths = [max(len(row[column]) for row in (HEADINGS, *rows)) for column in range(len(HEADINGS) - 1)]
    yield _row(HEADINGS, widths, style).rstrip()
    for row, rank in zip(rows, forecast.ranks, strict=True):
        line = _row(row, widths, style)
        word, colour = rank.placement.value, _COLOURS.get(rank.placement)
        yield line.replace(f" {word} ", f" {style.paint(word, colour)} ", 1) if colour else line


def _row(cells: Sequence[str], widths: list[int], style: Style) -> str:
    start = "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths))
    return f"{start}  {_fitting(cells[-1], style.width - len(start) - 2)}"


def _cells(rank: PlacedRank) -> tuple[str, ...]:
    cpus = rank.effective_cpus if rank.effective_cpus is not None else rank.cpus
    shown = ("-" if rank.outcome is Outcome.REFUSES else "not known") if cpus is None else str(cpus) or "none"
    return (
        str(rank.rank),
        one_line(rank.gpu.name) if rank.gpu else "-",
        "?" if rank.gpu_numa_node is None else str(rank.gpu_numa_node),
        "refused" if rank.outcome is Outcome.REFUSES else rank.placement.value,
        "not known" if rank.memory_policy is None else rank.memory_policy,
        shown,
    )


def _fitting(cpus: str, width: int) -> str:
    """A list that does not fit is cut between two entries; ``--format json`` has it whole."""
    if len(cpus) <= width:
        return cpus
    start = cpus[: max(width - 2, 0)]
    return f"{start[: start.rfind(',')] if ',' in start else start},…"


def _notes(ranks: Sequence[PlacedRank], said: str, style: Style) -> Iterator[str]:
    """Each note once, with the ranks it is about."""
    pairs = sorted(((note, rank.rank) for rank in ranks for note in rank.notes if note != said), key=lambda pair: pair[0])
    for note, group in groupby(pairs, key=lambda pair: pair[0]):
        numbers = IdSet(number for _, number in group)
        yield from style.wrap(f"{'ranks' if len(numbers) > 1 else 'rank'} {numbers}: {note}", "", "  ")


def _summary(ranks: Sequence[PlacedRank]) -> str:
    """How many ranks are where."""
    counts = {each: sum(rank.placement is each and rank.outcome is not Outcome.REFUSES for rank in ranks) for each in Placement}
    words = [f"{count} {each.value}" for each, count in counts.items() if count]
    refused = sum(rank.outcome is Outcome.REFUSES for rank in ranks)
    return f"{len(ranks)} ranks: {', '.join(words + ([f'{refused} refused'] if refused else []))}"
