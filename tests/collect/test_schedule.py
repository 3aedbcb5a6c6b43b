"""When readings are due, with a clock that is set by hand."""

import pytest

from numaaudit.collect.options import CollectOptions
from numaaudit.collect.schedule import Due, Schedule, schedule_of, ticks
from numaaudit.core.errors import UsageError


class Clock:
    """A clock that stands still but for sleeping, and for the test."""

    def __init__(self, now=1000.0):
        self.now = now
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_none_unless_a_duration_is_given():
    assert schedule_of(CollectOptions()) is None


def test_times_are_read_as_typed():
    assert schedule_of(CollectOptions(duration="2m", every="500ms")) == Schedule(120.0, 0.5)
    assert schedule_of(CollectOptions(duration="30")) == Schedule(30.0, 1.0)


@pytest.mark.parametrize(
    ("duration", "every", "message"),
    [
        ("", "1s", "--every 1s: nothing is watched without --duration"),
        ("300ms", "", "--duration 300ms: shorter than --every 1s"),
        ("soon", "1s", "--duration: not a time such as 30s, 500ms or 2m: 'soon'"),
        ("30s", "-1s", "--every: not a time such as 30s, 500ms or 2m: '-1s'"),
        ("30s", "50ms", "--every 50ms: readings are at least 100 ms apart"),
        ("30s", "0", "--every 0: readings are at least 100 ms apart"),
        ("500ms", "1s", "--duration 500ms: shorter than --every 1s"),
        ("2h", "1s", "--duration 2h --every 1s: more than 3600 readings"),
    ],
)
def test_a_window_that_makes_no_sense_is_refused_in_one_line(duration, every, message):
    with pytest.raises(UsageError) as caught:
        schedule_of(CollectOptions(duration=duration, every=every))

    assert str(caught.value) == message


@pytest.mark.parametrize(("duration", "every", "readings"), [(30.0, 1.0, 30), (30.0, 7.0, 5), (0.3, 0.1, 3), (1.0, 1.0, 1)])
def test_the_last_reading_is_at_the_end(duration, every, readings):
    schedule = Schedule(duration, every)

    assert schedule.readings == readings
    assert schedule.due_s(readings) == duration


def test_readings_do_not_drift():
    clock, found = Clock(), []
    for due in ticks(Schedule(3.0, 1.0), clock, clock.sleep):
        found.append(due)
        clock.now += 0.25

    assert found == [Due(0, 0.0, False, ()), Due(1, 1.0, False, ()), Due(2, 2.0, False, ()), Due(3, 3.0, False, ())]
    assert clock.slept == [0.75, 0.75, 0.75]


def test_a_reading_that_begins_late_says_so():
    clock = Clock()
    readings = ticks(Schedule(3.0, 1.0), clock, clock.sleep)
    next(readings)
    clock.now += 1.5

    assert next(readings) == Due(1, 1.5, True, ())
    assert next(readings) == Due(2, 2.0, False, ())


def test_what_was_due_while_another_was_made_is_missed_and_not_made_up():
    clock = Clock()
    readings = ticks(Schedule(5.0, 1.0), clock, clock.sleep)
    next(readings)
    clock.now += 3.25

    assert list(readings) == [Due(3, 3.25, True, (1, 2)), Due(4, 4.0, False, ()), Due(5, 5.0, False, ())]


def test_the_last_reading_is_made_however_late():
    clock = Clock()
    readings = ticks(Schedule(3.0, 1.0), clock, clock.sleep)
    next(readings)
    clock.now += 100

    assert list(readings) == [Due(3, 100.0, True, (1, 2))]


def test_a_clock_that_is_set_back_makes_no_reading_twice():
    clock = Clock()
    readings = ticks(Schedule(3.0, 1.0), clock, clock.sleep)
    assert [next(readings).number, next(readings).number] == [0, 1]
    clock.now -= 10

    assert [due.number for due in readings] == [2, 3]
    assert max(clock.slept) <= 1.0
