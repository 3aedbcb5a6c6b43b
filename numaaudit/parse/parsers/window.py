"""``samples/window.json``: what the readings of a window add up to (collect/window_totals.py), format ``numaaudit.window/1``."""

import math
from typing import Any, NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import by_numa_node, read_object, required, typed
from numaaudit.parse.parser import Parser

FORMAT = "numaaudit.window/1"
_MOST = 1 << 63
_MOST_SECONDS = 1e9
_MOST_READING = 999_999_999  # the digits of again/<n>/


class WindowThread(NamedTuple):
    """One thread that ran. ``cpu_ticks``: CPU time from its first to its last reading; None: it ran backwards.

    Moves are readings in which its last CPU (that CPU's NUMA node) was another than in the reading before: it may have moved more
    often. ``num_ran``: readings before which it had run; ``by_numa_node``: where those saw it, (NUMA node, readings).
    """

    tid: int
    start_ticks: int
    cpu_ticks: int | None
    cpu_moves: int
    numa_node_moves: int | None  # None: which CPU is of which NUMA node was not known
    num_readings: int
    num_ran: int
    cpus: CpuSet
    by_numa_node: tuple[tuple[int, int], ...]


class WindowProcess(NamedTuple):
    """Sums over all threads of a process, those that are not listed included."""

    pid: int
    has_ended: bool
    threads_seen: int
    threads_born: int
    threads_ended: int
    cpu_ticks: int | None
    cpu_moves: int
    numa_node_moves: int | None
    threads: tuple[WindowThread, ...]


class WindowSample(NamedTuple):
    """``seconds`` from the first to the last reading, ``between_ends_s`` between the copies of the counters, ``again/<ends>/``.

    ``num_readings`` after the first; ``late`` and ``missed`` are numbers of readings; ``backwards``: for each file that was read
    every time its counters that went backwards, or were not there, once or more.
    """

    duration_s: float
    every_s: float
    seconds: float
    between_ends_s: float
    ends: tuple[int, int]
    num_readings: int
    late: tuple[int, ...]
    missed: tuple[int, ...]
    backwards: dict[str, frozenset[str]]
    processes: tuple[WindowProcess, ...]
    threads_not_listed: int


def parse(text: str) -> WindowSample:
    """ParseError for another format, and for numbers that cannot be."""
    document = read_object(text)
    if document.get("format") != FORMAT:
        raise ParseError(f"not of the format {FORMAT}")
    first, last = (_bounded(value, "ends", _MOST_READING) for value in _pair(document, "ends"))
    if not 0 < first < last:
        raise ParseError("ends are not two readings")
    return WindowSample(
        _seconds(document, "duration_s"),
        _seconds(document, "every_s"),
        _seconds(document, "seconds"),
        _seconds(document, "between_ends_s"),
        (first, last),
        _count(document, "readings"),
        _numbers(document, "late"),
        _numbers(document, "missed"),
        dict(_backwards(typed(each, dict, "counters")) for each in required(document, "counters", list)),
        tuple(_process(typed(each, dict, "a process")) for each in required(document, "processes", list)),
        _count(document, "threads_not_listed"),
    )


def _pair(document: dict[str, Any], name: str) -> list[Any]:
    values = required(document, name, list)
    if len(values) != 2:
        raise ParseError(f"{name} is not a pair")
    return values


def _seconds(document: dict[str, Any], name: str) -> float:
    value = document.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_SECONDS or not math.isfinite(value):
        raise ParseError(f"{name} is no number of seconds")
    return float(value)


def _numbers(document: dict[str, Any], name: str) -> tuple[int, ...]:
    return tuple(_bounded(value, name) for value in required(document, name, list))


def _backwards(counters: dict[str, Any]) -> tuple[str, frozenset[str]]:
    """(path below the host's root, counters of that file that went backwards)."""
    found = {name: typed(grown, list, name) for name, grown in required(counters, "grown", dict).items()}
    for name, grown in found.items():
        for value in grown:
            if value is not None:
                _bounded(value, name)
    path = f"{required(counters, 'folder', str)}/{required(counters, 'file', str)}".lstrip("/")
    return path, frozenset(name for name, grown in found.items() if None in grown)


def _process(found: dict[str, Any]) -> WindowProcess:
    return WindowProcess(
        _count(found, "pid"),
        required(found, "has_ended", bool),
        _count(found, "threads_seen"),
        _count(found, "threads_born"),
        _count(found, "threads_ended"),
        _count_or_none(found, "cpu_ticks"),
        _count(found, "cpu_moves"),
        _count_or_none(found, "numa_node_moves"),
        tuple(_thread(typed(each, dict, "a thread")) for each in required(found, "threads", list)),
    )


def _thread(found: dict[str, Any]) -> WindowThread:
    by_node = by_numa_node(found, "readings_by_numa_node")
    return WindowThread(
        _count(found, "tid"),
        _count(found, "start_ticks"),
        _count_or_none(found, "cpu_ticks"),
        _count(found, "cpu_moves"),
        _count_or_none(found, "numa_node_moves"),
        _count(found, "readings"),
        _count(found, "ran"),
        CpuSet.parse(required(found, "cpus", str)),
        tuple((number, _bounded(count, "readings_by_numa_node")) for number, count in by_node.items()),
    )


def _count(owner: dict[str, Any], name: str) -> int:
    return _bounded(owner.get(name), name)


def _count_or_none(owner: dict[str, Any], name: str) -> int | None:
    return None if owner.get(name) is None else _count(owner, name)


def _bounded(value: object, name: str, most: int = _MOST) -> int:
    number = typed(value, int, name)
    if not 0 <= number <= most:
        raise ParseError(f"{name} is no number that can be")
    return number


PARSER = Parser(parse, reads=("samples/window.json",))
