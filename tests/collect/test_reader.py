import os
import signal
import subprocess
import sys
import time

from numaaudit.collect.reader import Batch, Stopped, Trying, read_each


def never():
    return False


def later(seconds):
    return time.monotonic() + seconds


def results(events):
    return [(event.item, event.results) for event in events if isinstance(event, Batch)]


def test_results_come_back_in_order_of_the_items():
    def work(number):
        yield ("square", number * number, b"\0", None)

    events = list(read_each(work, [1, 2, 3], 20, later(20), never))

    assert events == [Batch(number, [("square", number * number, b"\0", None)]) for number in (1, 2, 3)]


def test_large_results_arrive_whole():
    def work(size):
        yield (b"x" * size,)
        yield (b"y" * size,)

    events = list(read_each(work, [3_000_000], 20, later(20), never))

    assert [part for _, batch in results(events) for part in batch] == [(b"x" * 3_000_000,), (b"y" * 3_000_000,)]


def test_an_item_that_hangs_is_timed_out_and_the_rest_goes_on():
    def work(name):
        yield "before %s" % name
        yield Trying("proc/%s/environ" % name)
        if name == "hung":
            time.sleep(60)
        yield "after %s" % name

    began = time.monotonic()
    events = list(read_each(work, ["first", "hung", "last"], 1.0, later(30), never))

    assert events == [
        Batch("first", ["before first"]),
        Batch("first", ["after first"]),
        Batch("hung", ["before hung"]),
        Stopped("hung", "timed-out", "proc/hung/environ", "no answer"),
        Batch("last", ["before last"]),
        Batch("last", ["after last"]),
    ]
    assert time.monotonic() - began < 20


def test_a_child_that_ignores_sigterm_and_is_stopped_leaves_no_process():
    pids = []

    def work(_):
        yield os.getpid()
        yield Trying("x")
        time.sleep(60)

    for event in read_each(work, ["hung"], 1.0, later(30), never):
        pids += event.results if isinstance(event, Batch) else []

    assert [os.path.exists("/proc/%d" % pid) for pid in pids] == [False]


def test_a_child_that_dies_costs_only_its_item():
    def work(name):
        if name == "deadly":
            os._exit(1)
        yield name

    events = list(read_each(work, ["deadly", "fine"], 20, later(20), never))

    assert events == [Stopped("deadly", "gone", "", "the reader died"), Batch("fine", ["fine"])]


def test_at_the_total_deadline_the_rest_is_not_run():
    def work(_):
        yield Trying("x")
        time.sleep(60)

    events = list(read_each(work, [1, 2], 20, later(1.0), never))

    assert events == [
        Stopped(1, "timed-out", "x", "no answer before the total deadline"),
        Stopped(2, "not-run", "", "no time was left"),
    ]


def test_a_wish_to_stop_ends_the_item_and_the_rest():
    asked_at = later(0.2)

    def work(_):
        time.sleep(60)
        yield ""

    events = list(read_each(work, [1, 2], 30, later(30), lambda: time.monotonic() > asked_at))

    assert events == [Stopped(1, "not-run", "", "interrupted"), Stopped(2, "not-run", "", "interrupted")]


def test_the_work_runs_in_a_session_of_its_own():
    def work(_):
        yield os.getsid(0)

    [(_, [session])] = results(read_each(work, [1], 20, later(20), never))

    assert session != os.getsid(0)


def test_no_items_need_no_child():
    assert list(read_each(lambda item: iter(()), [], 20, later(20), never)) == []


def test_a_reader_whose_parent_was_killed_ends_without_a_word():
    script = """
import os, signal, sys
from numaaudit.collect.reader import read_each

def work(item):
    yield b"x"
    os.kill(os.getppid(), signal.SIGKILL)
    while os.getppid() == int(sys.argv[1]):
        pass
    yield from [b"x" * 100_000] * 256

list(read_each(work, [1], 5.0, 1e9, lambda: False))
"""
    command = f"exec {sys.executable} -c '{script}' $$"
    ended = subprocess.run(["sh", "-c", command], capture_output=True, check=False, timeout=60)

    assert (-signal.SIGKILL, b"") == (ended.returncode, ended.stderr)
