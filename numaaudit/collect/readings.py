"""Later readings of what was read before: CPU times, a while after the first; with a window once more at its end."""

from __future__ import annotations

import time
from functools import partial
from typing import Dict, Optional, Sequence

from numaaudit.collect import about
from numaaudit.collect.gathering import Gathering
from numaaudit.collect.process_files import PROCESS_S, second_reading
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import parse_stat

READINGS_APART_S = 1.0  # CPU times count in ticks of 10 ms


def read_again(gathering: Gathering, pids: Sequence[int], not_before: float) -> None:
    """Read the CPU times of the processes and their threads once more, below ``again/1/``."""
    if not pids and not gathering.schedule:
        return
    gathering.progress("reading CPU times again")
    while time.monotonic() < min(not_before, gathering.until) and not gathering.stop():
        time.sleep(0.02)
    read_times(gathering, pids, 1)


def read_times(gathering: Gathering, pids: Sequence[int], number: int) -> None:
    """CPU times below ``again/<number>/``, of the processes that are still the same."""
    starts = start_ticks(gathering, pids)
    below = "again/%d/root/" % number
    gathering.readings.append(about.now())
    for event in gathering.read(partial(second_reading, gathering.options.root, starts), list(starts), PROCESS_S, below):
        gathering.record.miss("%sproc/%d" % (below, event.item), event.outcome, event.reason)


def start_ticks(gathering: Gathering, pids: Sequence[int]) -> Dict[int, int]:
    """When each process started, by the first reading; without those that it did not find."""
    starts = {pid: _start_ticks(gathering.collected(pid, "stat")) for pid in pids}
    return {pid: start for pid, start in starts.items() if start is not None}


def _start_ticks(stat: str) -> Optional[int]:
    try:
        return parse_stat(stat).start_ticks
    except ParseError:
        return None
