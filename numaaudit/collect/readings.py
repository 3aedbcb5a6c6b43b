"""The second reading: CPU times, a while after the first."""

from __future__ import annotations

import time
from functools import partial
from typing import Optional, Sequence

from numaaudit.collect import about
from numaaudit.collect.gathering import Gathering
from numaaudit.collect.process_files import PROCESS_S, second_reading
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import parse_stat

READINGS_APART_S = 1.0  # CPU times count in ticks of 10 ms


def read_again(gathering: Gathering, pids: Sequence[int], not_before: float) -> None:
    """Read the CPU times of the processes and their threads once more, below ``again/1/``."""
    if not pids:
        return
    gathering.progress("reading CPU times again")
    while time.monotonic() < min(not_before, gathering.until) and not gathering.stop():
        time.sleep(0.02)
    starts = {pid: _start_ticks(gathering.collected(pid, "stat")) for pid in pids}
    alive = [pid for pid in pids if starts[pid] is not None]
    gathering.readings.append(about.now())
    for event in gathering.read(partial(second_reading, gathering.options.root, starts), alive, PROCESS_S, "again/1/root/"):
        gathering.record.miss("again/1/root/proc/%d" % event.item, event.outcome, event.reason)


def _start_ticks(stat: str) -> Optional[int]:
    try:
        return parse_stat(stat).start_ticks
    except ParseError:
        return None
