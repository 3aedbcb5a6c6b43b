"""samples/window.json as collect writes it, and as nobody should."""

import json

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.window import WindowProcess, WindowSample, WindowThread, parse

THREAD = {
    "tid": 8, "start_ticks": 100, "cpu_ticks": 25, "cpu_moves": 2, "numa_node_moves": 1, "readings": 4, "ran": 3, "cpus": "0-2",
    "readings_by_numa_node": {"1": 2, "0": 1},
}  # fmt: skip
PROCESS = {
    "pid": 7, "has_ended": False, "threads_seen": 3, "threads_born": 1, "threads_ended": 0, "cpu_ticks": 30, "cpu_moves": 2,
    "numa_node_moves": None, "threads": [THREAD],
}  # fmt: skip
DOCUMENT = {
    "format": "numaaudit.window/1", "duration_s": 5.0, "every_s": 1, "seconds": 5.001, "ends": [1, 2], "between_ends_s": 5.2,
    "readings": 4, "at_s": [0.0, 1.0, 3.5, 4.0, 5.001], "late": [3], "missed": [2],
    "counters": [{"folder": "/proc", "file": "vmstat", "grown": {"numa_hit": [1, 2, 3, 4], "numa_miss": [1, None, 3, 4]}}],
    "num_threads": [3, 3, 3, 3], "cpu_ticks": [1, 2, 3, 4], "cpu_moves": [0, 1, 1, 0], "numa_node_moves": [None, None, None, None],
    "processes": [PROCESS], "threads_not_listed": 0,
}  # fmt: skip


def changed(path, value):
    """The document as text with one value replaced; ``path`` as ``processes/0/pid``."""
    document = json.loads(json.dumps(DOCUMENT))
    owner = document
    *above, last = path.split("/")
    for part in above:
        owner = owner[int(part) if isinstance(owner, list) else part]
    owner[int(last) if isinstance(owner, list) else last] = value
    return json.dumps(document)


def test_the_document_gives_the_record():
    thread = WindowThread(8, 100, 25, 2, 1, 4, 3, CpuSet.parse("0-2"), ((0, 1), (1, 2)))
    process = WindowProcess(7, False, 3, 1, 0, 30, 2, None, (thread,))

    assert parse(json.dumps(DOCUMENT)) == WindowSample(
        5.0, 1.0, 5.001, 5.2, (1, 2), 4, (3,), (2,), {"proc/vmstat": frozenset({"numa_miss"})}, (process,), 0
    )


def test_keys_of_a_later_version_are_ignored():
    assert parse(changed("later", float("nan"))) == parse(json.dumps(DOCUMENT))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "numaaudit.window/2"),
        ("seconds", float("nan")),
        ("seconds", float("inf")),
        ("seconds", -1.0),
        ("seconds", 1e300),
        ("seconds", True),
        ("seconds", "5"),
        ("between_ends_s", None),
        ("readings", -1),
        ("readings", 4.5),
        ("readings", 1 << 64),
        ("ends", [1]),
        ("ends", [2, 1]),
        ("ends", [0, 1]),
        ("ends", [1, 10**9]),
        ("missed", [-1]),
        ("missed", {"2": 1}),
        ("counters", {}),
        ("counters/0", []),
        ("counters/0/folder", None),
        ("counters/0/file", 1),
        ("counters/0/grown", []),
        ("counters/0/grown", {"numa_hit": [-1]}),
        ("counters/0/grown", {"numa_hit": 5}),
        ("counters/0/grown", {"numa_hit": [float("nan")]}),
        ("processes", {}),
        ("processes/0", 7),
        ("processes/0/pid", None),
        ("processes/0/has_ended", 0),
        ("processes/0/cpu_ticks", -5),
        ("processes/0/threads/0/cpus", "0-999999999"),
        ("processes/0/threads/0/cpus", "x"),
        ("processes/0/threads/0/cpu_moves", float("nan")),
        ("processes/0/threads/0/readings_by_numa_node", {"-1": 1}),
        ("processes/0/threads/0/readings_by_numa_node", {"\u0661": 1}),
        ("processes/0/threads/0/readings_by_numa_node", {"4096": 1}),
        ("processes/0/threads/0/readings_by_numa_node", {"0": -1}),
    ],
)
def test_what_cannot_be_is_refused(path, value):
    with pytest.raises(ParseError):
        parse(changed(path, value))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "NaN", "[" * 100_000, '{"format": "numaaudit.window/1"}'])
def test_what_is_no_window_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize(
    "name", [name for name in DOCUMENT if name not in ("at_s", "num_threads", "cpu_ticks", "cpu_moves", "numa_node_moves")]
)
def test_without_a_part_there_is_no_record(name):
    with pytest.raises(ParseError):
        parse(json.dumps({key: value for key, value in DOCUMENT.items() if key != name}))
