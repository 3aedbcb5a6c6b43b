"""When the readings of a window are due (``collect --duration 30s --every 1s``), by the monotonic clock."""

from __future__ import annotations

import math
from typing import Callable, Iterator, NamedTuple, Optional, Tuple

from numaaudit.collect.options import CollectOptions
from numaaudit.core.durations import parse_duration
from numaaudit.core.errors import ParseError, UsageError

_EVERY = "1s"  # unless it is said
LEAST_EVERY_S = 0.1  # one reading of 2,400 threads takes 0.04 s of CPU time
MOST_READINGS = 3_600
_LATE = 0.1  # of the distance between two readings


class Schedule(NamedTuple):
    """Seconds. The readings after the first are due every ``every_s``, the last at the end."""

    duration_s: float
    every_s: float

    @property
    def readings(self) -> int:
        """How many are due after the first, which is the start."""
        return math.ceil(round(self.duration_s / self.every_s, 6))

    def due_s(self, number: int) -> float:
        """When a reading is due, counted from the start."""
        return min(number * self.every_s, self.duration_s)


class Due(NamedTuple):
    """A reading that is to be made now, ``at_s`` after the start. ``missed``: those that were due before it and will not be made."""

    number: int
    at_s: float
    is_late: bool
    missed: Tuple[int, ...]


def schedule_of(options: CollectOptions) -> Optional[Schedule]:
    """None where no window is asked for. UsageError for one that makes no sense."""
    if options.every and not options.duration:
        raise UsageError("--every %s: nothing is watched without --duration" % options.every)
    if not options.duration:
        return None
    every = options.every or _EVERY
    schedule = Schedule(_seconds("--duration", options.duration), _seconds("--every", every))
    if schedule.every_s < LEAST_EVERY_S:
        raise UsageError("--every %s: readings are at least %d ms apart" % (every, LEAST_EVERY_S * 1000))
    if schedule.duration_s < schedule.every_s:
        raise UsageError("--duration %s: shorter than --every %s" % (options.duration, every))
    if schedule.readings > MOST_READINGS:
        raise UsageError("--duration %s --every %s: more than %d readings" % (options.duration, every, MOST_READINGS))
    return schedule


def _seconds(flag: str, text: str) -> float:
    try:
        return parse_duration(text)
    except ParseError as error:
        raise UsageError("%s: %s" % (flag, error.reason)) from None


def ticks(schedule: Schedule, clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Due]:
    """The start, then each reading when it is due. One that is still busy when the next is due costs that one: it is missed."""
    began = clock()
    yield Due(0, 0.0, False, ())
    number = 1
    while number <= schedule.readings:
        while clock() - began < schedule.due_s(number):
            sleep(max(0.0, min(schedule.due_s(number) - (clock() - began), schedule.every_s)))
        at_s, missed = clock() - began, []
        while number < schedule.readings and at_s >= schedule.due_s(number + 1):
            missed.append(number)
            number += 1
        yield Due(number, at_s, at_s - schedule.due_s(number) > _LATE * schedule.every_s, tuple(missed))
        number += 1
