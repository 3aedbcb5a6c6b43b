"""Which texts a parser reads."""

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.parse.parsers.date import Date
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.numactl_hardware import NumactlHardware
from numaaudit.parse.parsers.proc_status import ProcStatus
from numaaudit.parse.runner import parsers_by_record

LSCPU = "Architecture: x86_64\nCPU(s): 2\nOn-line CPU(s) list: 0,1\n"
HARDWARE = "available: 1 nodes (0)\nnode 0 cpus: 0 1\n"


def records(build, entries):
    return build(entries).records


def test_files_of_processes_are_found_by_path_in_every_reading(build):
    entries = {"root/proc/7/status": "Name:\ta\n", "again/1/root/proc/7/status": "Name:\tb\n", "root/proc/7/task/8/status": "Name:\tc\n"}
    found = records(build, entries).all(ProcStatus)

    assert [(each.record.name, each.reading, each.file.path) for each in found] == [
        ("a", 0, "root/proc/7/status"),
        ("b", 1, "again/1/root/proc/7/status"),
        ("c", 0, "root/proc/7/task/8/status"),
    ]


def test_commands_are_found_by_their_command_line(build):
    found = records(build, {"commands/lscpu.out": LSCPU}).all(Lscpu)

    assert [each.file.path for each in found] == ["commands/lscpu.out"]


def test_outputs_of_unknown_names_are_recognised_by_content(build):
    found = records(build, {"commands/topology.out": "# made by a script\n" + HARDWARE, "commands/uptime.out": "up 3 days\n"})

    assert [(each.file.path, each.file.first_line) for each in found.all(NumactlHardware)] == [("commands/topology.out", 2)]
    assert found.gaps() == ()


def test_pasted_texts_are_recognised_by_content(build):
    found = records(build, {"pasted/ticket.txt": "hello\n\n" + HARDWARE + LSCPU})

    assert [len(found.all(kind)) for kind in (NumactlHardware, Lscpu, Date)] == [1, 1, 0]
    assert found.gaps() == (Gap("unrecognised", "pasted/ticket.txt", "line 1: no known output"),)


@pytest.mark.parametrize(
    ("text", "is_recognised"), [("hello\n", False), ("\n\n", False), ("hello\n" + HARDWARE, True), ("available: 2 nodes (x)\n", True)]
)
def test_a_text_is_recognised_even_where_it_cannot_be_read(build, text, is_recognised):
    assert records(build, {"pasted/ticket.txt": text}).has_recognised_text() is is_recognised


def test_a_file_that_cannot_be_parsed_is_missed(build):
    found = records(build, {"root/proc/7/status": "Cpus_allowed_list:\tx-y\n"})
    [missed] = found.missed(ProcStatus)

    assert (missed.gap.kind, missed.gap.path) == ("unparsable", "root/proc/7/status")
    assert missed.gap in found.gaps()


def test_every_parser_makes_a_record_of_its_own_kind():
    assert all(parser.record is kind for kind, parsers in parsers_by_record().items() for parser in parsers)
