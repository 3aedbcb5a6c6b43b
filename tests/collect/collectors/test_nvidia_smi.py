"""Questions to NVIDIA's tool: identity and topology, nothing that measures."""

from numaaudit.bundle.manifest import command_path
from numaaudit.collect.collectors.nvidia_smi import COLLECTOR
from numaaudit.parse.parser import Command
from numaaudit.parse.runner import parsers_by_record


def test_every_answer_has_a_parser():
    read = {
        each.path for parsers in parsers_by_record().values() for parser in parsers for each in parser.reads if isinstance(each, Command)
    }

    assert {command_path(argv) for argv in COLLECTOR.commands} <= read


def test_runs_last_and_side_by_side():
    assert COLLECTOR.gpu_tool
