"""A window (``--duration 30s --every 1s``): what the host and the processes do meanwhile.

At both ends the counters are copied (``again/<n>/root/``), so that every delta can be shown line by line; in between they are
read at each tick and only what they add up to is kept (``samples/window.json``). Where threads run can only be seen by looking
often: between two ticks a thread may have moved and come back, so the moves seen are the least there were.
"""

from __future__ import annotations

import copy
import fnmatch
import json
import time
from functools import partial
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from numaaudit.bundle.tree import Gap, Tree, braces
from numaaudit.collect.collector import NOT_HERE, Read
from numaaudit.collect.gathering import Gathering
from numaaudit.collect.host_files import host_tree
from numaaudit.collect.reader import Batch, Trying, read_each
from numaaudit.collect.readings import read_times, start_ticks
from numaaudit.collect.schedule import Schedule
from numaaudit.collect.window_reading import Reading, WindowReader
from numaaudit.collect.window_totals import WindowTotals
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError

SAMPLE = "samples/window.json"
FIRST, LAST = 1, 2  # the n of again/<n>/ at the ends of the window
CLOSING_S = 5.0  # for the last reading, which is made also after Ctrl-C or at the deadline
_BAR = 30


def watch(gathering: Gathering, pids: Sequence[int]) -> None:
    """Read for the duration of the window, if one is asked for, on top of the total deadline. Ctrl-C ends it early; it is then kept."""
    schedule = gathering.schedule
    if not schedule:
        return
    gathering.until = max(gathering.until, time.monotonic() + CLOSING_S) + schedule.duration_s
    paths, starts = _paths(gathering, "window_ticks"), start_ticks(gathering, pids)
    began = _copy_counters(gathering, FIRST)
    totals = WindowTotals(schedule, _numa_nodes(gathering.tree))
    outcome, reason = _tick(gathering, schedule, totals, WindowReader(gathering.options.root, gathering.tree, paths, starts))
    if not totals.at_s:
        gathering.record.miss(SAMPLE, outcome, reason)
        return
    closing = copy.copy(gathering)
    closing.stop, closing.until = _never, time.monotonic() + CLOSING_S
    document = totals.document((FIRST, LAST), _copy_counters(closing, LAST) - began)
    read_times(closing, pids, LAST)
    reason = "%s after %d of %d readings" % (reason, totals.readings, schedule.readings) if reason else ""
    gathering.record.add(Read("window", SAMPLE, outcome, _json(document), reason=reason), below="")


def _never() -> bool:
    return False


def _copy_counters(gathering: Gathering, number: int) -> float:
    """Copy the host's counters at one end of the window; returns when that began."""
    began = time.monotonic()
    below = "again/%d/root/" % number
    paths = _paths(gathering, "window_ends") + _paths(gathering, "window_ticks")
    for event in gathering.read(partial(_host_file, gathering.options.root), paths, CLOSING_S, below):
        gathering.record.miss(below + event.item, event.outcome, event.reason)
    return began


def _host_file(root: str, path: str) -> Iterator[Any]:
    """The work of reading one file of the host that was read before. Each reading opens the host anew: what it had may be gone."""
    yield Trying(path)
    file = host_tree(root).get("root/" + path)
    if isinstance(file, Gap):
        yield Read("window", path, file.kind, reason=NOT_HERE if file.kind == "absent" else file.reason)
    else:
        yield Read("window", path, "ok", file.data)


def _paths(gathering: Gathering, which: str) -> List[str]:
    """The files of the first reading that collectors declare for a window, below the host's root."""
    found = []
    for path, collector in gathering.record.files():
        unit = gathering.collectors.get(collector)
        patterns = [plain for pattern in getattr(unit, which, ()) for plain in braces(pattern)]
        if any(fnmatch.fnmatchcase(path, "root/" + plain) or path.endswith("/" + plain) for plain in patterns):
            found.append(path[len("root/") :])
    return found


def _numa_nodes(tree: Tree) -> Dict[int, int]:
    """CPU to NUMA node; empty where the kernel has none."""
    numa_nodes = {}
    for path in tree.glob("root/sys/devices/system/node/node[0-9]*/cpulist"):
        number = path.split("/")[-2][len("node") :]
        try:
            numa_nodes.update(dict.fromkeys(CpuSet.parse(tree.text(path) or ""), int(number)))
        except (ParseError, ValueError):
            continue
    return numa_nodes


def _tick(gathering: Gathering, schedule: Schedule, totals: WindowTotals, reader: WindowReader) -> Tuple[str, str]:
    """Make the readings; returns the outcome, and what cut them short."""
    gathering.progress(bar(totals, schedule))
    for event in read_each(reader, [schedule], schedule.duration_s + CLOSING_S, gathering.until, gathering.stop):
        if not isinstance(event, Batch):
            return ("cut" if totals.at_s else event.outcome), event.reason
        for result in event.results:
            totals.add(Reading(*result))
        gathering.progress(bar(totals, schedule))
    return "ok", ""


def bar(totals: WindowTotals, schedule: Schedule) -> str:
    """How far the window is: ``watching [######        ] 6 of 30 s``."""
    seconds = totals.at_s[-1] if totals.at_s else 0.0
    done = int(_BAR * min(1.0, seconds / schedule.duration_s))
    return "watching [%s%s] %.0f of %.0f s" % ("#" * done, " " * (_BAR - done), seconds, schedule.duration_s)


def _json(document: Dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"
