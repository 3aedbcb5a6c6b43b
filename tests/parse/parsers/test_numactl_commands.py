"""numactl command lines in logs."""

import pytest

from numaaudit.parse.parsers.numactl_commands import parse


def told(text):
    return [
        (str(each.cpus or ""), str(each.cpu_nodes or ""), str(each.mems or ""), each.line, each.failure_line)
        for each in parse(text).commands
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank0: numactl -C 0-95 -m 0\n", ("0-95", "", "0", 1, None)),
        ("x\nworker: numactl --cpunodebind=2 --membind=2 python a.py\nsched_setaffinity: Invalid argument\n", ("", "2", "2", 2, 3)),
        ("$ numactl -N 1 -m 1 bench -t 24\n", ("", "1", "1", 1, None)),
        ("numactl --physcpubind 0,2 --localalloc app\n", ("0,2", "", "", 1, None)),
    ],
)
def test_a_command_that_binds(text, expected):
    assert told(text) == [expected]


def test_an_error_belongs_to_the_command_above_it():
    text = "a: numactl -N 0 x\nb: numactl -N 1 x\nset_mempolicy: Operation not permitted\n"

    assert [failed for *_, failed in told(text)] == [None, 3]
    assert parse(text).commands[1].failure == "set_mempolicy: Operation not permitted"


def test_what_is_no_plain_list_has_no_set():
    assert told("numactl --cpunodebind=all --membind=!1 app\n") == [("", "", "", 1, None)]


@pytest.mark.parametrize("text", ["", "numactl --show\n", "numactl --hardware\n", "no numactl here\n", "numactl: command not found\n"])
def test_other_lines_say_nothing(text):
    assert told(text) == []
