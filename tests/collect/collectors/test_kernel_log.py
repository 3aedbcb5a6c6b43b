"""The kernel's log, as far as it is kept."""

import stat

from numaaudit.bundle.manifest import command_path
from numaaudit.bundle.tree import Gap
from numaaudit.collect.collectors.kernel_log import COLLECTOR
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import collect
from numaaudit.parse.parser import Command
from numaaudit.parse.parsers.kernel_log import PARSER


def dmesg(tmp_path, body):
    program = tmp_path / "dmesg"
    program.write_text("#!/bin/sh\n" + body)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return collect(CollectOptions(host_only=True), path=f"{tmp_path}:/usr/bin:/bin")


def test_its_answer_has_a_parser():
    assert [command_path(argv) for argv in COLLECTOR.commands] == [each.path for each in PARSER.reads if isinstance(each, Command)]


def test_only_listed_lines_are_kept(tmp_path):
    xid = "[9.1] NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus."
    tree = dmesg(tmp_path, f"echo '[9.0] planted'; echo '{xid}'\n").tree()

    assert tree.get("commands/dmesg.out").text == f"\n{xid}\n"


def test_a_kernel_that_lets_only_root_read_it_refuses(tmp_path):
    collection = dmesg(tmp_path, "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1\n")

    assert collection.tree().get("commands/dmesg.out") == Gap(
        "refused", "commands/dmesg.out", "not permitted to this user; collect as root"
    )
