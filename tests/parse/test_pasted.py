"""Outputs are cut out of whatever people paste around them."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.bundle.tree import File, Gap
from numaaudit.parse.claim import Claims
from numaaudit.parse.parser import Part
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.parse.parsers.numactl_hardware import NumactlHardware
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo
from numaaudit.parse.parsers.proc_status import ProcStatus
from numaaudit.parse.parsers.taskset import Taskset
from numaaudit.parse.pasted import recognise
from numaaudit.parse.runner import parsers_by_record

MATRIX = """\
	GPU0	GPU1	CPU Affinity	NUMA Affinity
GPU0	 X 	SYS	0-7	0
GPU1	SYS	 X 	8-15	1
"""
LEGEND = """
Legend:

  X    = Self
  SYS  = across the interconnect
"""
HARDWARE = """\
available: 1 nodes (0)
node 0 cpus: 0 1 2 3
node 0 size: 1000 MB
node 0 free: 900 MB
"""
MAPS = "7f0000000000 default anon=3 N0=3 kernelpagesize_kB=4\n"


def read(text, strict=True):
    parsers = tuple(parser for group in parsers_by_record().values() for parser in group if parser.looks_like)
    return list(recognise(File("pasted/ticket.txt", text.encode(), "ticket.txt"), parsers, strict))


def kinds(text):
    return [part.kind for part in read(text) if isinstance(part, Part)]


def first_lines(text):
    return [part.found.file.first_line for part in read(text) if isinstance(part, Part)]


def gaps(text):
    return [part.reason for part in read(text) if isinstance(part, Gap)]


def test_outputs_in_a_row_are_cut_where_the_next_begins():
    text = MATRIX + HARDWARE + "pid 7's current affinity list: 0-3\n"

    assert kinds(text) == [NvidiaSmiTopo, NumactlHardware, Taskset]
    assert first_lines(text) == [1, 4, 8]
    assert gaps(text) == []


@pytest.mark.parametrize(
    "prompt", ["$ ", "# ", "[root@gpu-1 ~]# ", "root@gpu-1:/var/log# ", "(base) me@gpu-1:~$ ", "gpu@gpu-1 % ", "+ ", "sh-5.1# "]
)
def test_a_prompt_ends_an_output_and_is_none(prompt):
    text = f"{prompt}numactl -H\n{HARDWARE}{prompt}date -I\n{prompt}\n"

    assert (kinds(text), first_lines(text), gaps(text)) == ([NumactlHardware], [2], [])


def test_the_command_above_an_output_is_kept_with_it():
    found = [part.found for part in read(f"$ head -1 /proc/7/numa_maps\n{MAPS}$ numactl -H\n```\n{HARDWARE}")]

    assert [(each.command, each.is_part) for each in found] == [("head -1 /proc/7/numa_maps", True), ("numactl -H", False)]


def test_a_command_is_not_that_of_the_second_output_below_it():
    assert [part.found.command for part in read("$ x\n" + MATRIX + HARDWARE)] == ["x", None]


def test_fences_and_headings_are_no_output():
    text = f"## Topology\n\n```text\n{MATRIX}```\n\nGPU topology:\n\n~~~\n{HARDWARE}~~~\n"

    assert (kinds(text), first_lines(text), gaps(text)) == ([NvidiaSmiTopo, NumactlHardware], [4, 12], [])


def test_a_line_that_ends_in_a_colon_right_above_an_output_is_a_heading():
    assert gaps("NVIDIA topology:\n\n" + MATRIX) == []


@pytest.mark.parametrize(
    "prefix",
    [
        "> ",
        ">> ",
        "2026-11-26T10:15:00.123456Z ",
        "[2026-11-26 10:15:00,123] ",
        "10:15:00 ",
        "Nov 26 10:15:00 gpu-1 dump[77]: ",
        "[pod/dump-x/main] ",
        "dump-1  | ",
        "INFO 2026-11-26T10:15:00Z ",
        "(Worker pid=7) INFO 11-26 10:15:00 [env.py:7] ",
        "[INFO] ",
    ],
)
def test_what_stands_before_each_line_is_left_out_and_moves_no_line(prefix):
    text = "\n" + "".join(f"{prefix}{line}\n" for line in (MATRIX + HARDWARE).splitlines())
    topo = next(part for part in read(text) if part.kind is NvidiaSmiTopo)

    assert (kinds(text), first_lines(text), gaps(text)) == ([NvidiaSmiTopo, NumactlHardware], [2, 5], [])
    assert [str(gpu.cpu_affinity) for gpu in topo.found.record.gpus] == ["0-7", "8-15"]


def test_control_sequences_and_overwritten_lines_are_shown_as_a_terminal_would():
    text = "\x1b[4m" + MATRIX.replace("\n", "\x1b[0m\r\n", 1) + " 10%\r100%\rdone\n"

    assert (kinds(text), gaps(text)) == ([NvidiaSmiTopo], [])


def test_legends_belong_to_their_table():
    assert gaps(MATRIX + LEGEND + "\nNIC Legend:\n\n  NIC0: mlx5_0\n") == []


def test_what_is_no_known_output_is_a_gap_with_its_lines():
    text = f"Help!\n\nIt is slow.\n\n{HARDWARE}\nCA 'mlx5_0'\n\tNumber of ports: 1\n$ uptime\n up 3 days\n"

    assert gaps(text) == ["lines 1-3: no known output", "lines 10-11: no known output", "line 13: no known output"]


def test_a_text_without_any_output_is_one_gap():
    assert read("nothing\nhere\n") == [Gap("unrecognised", "pasted/ticket.txt", "lines 1-2: no known output")]


def test_an_unknown_commands_output_is_not_ours_to_read():
    assert read("nothing\nhere\n", strict=False) == []


def test_lines_of_launchers_are_read_over_the_whole_text_and_their_neighbours_are_a_log():
    text = (
        "INFO starting\n"
        "(W rank=1 pid=7) INFO 06-05 16:59:15 [cpu_worker.py:145] auto thread-binding list: 2,3\n"
        "INFO loading\n"
        f"{HARDWARE}"
        "(W rank=0 pid=6) INFO 06-05 16:59:15 [cpu_worker.py:145] auto thread-binding list: 0,1\n"
    )
    claims = next(part.found.record.claims for part in read(text) if part.kind is Claims and part.found.record.claims)

    assert [(claim.line, claim.rank, claim.pid, str(claim.cpus)) for claim in claims] == [(2, 1, 7, "2-3"), (8, 0, 6, "0-1")]
    assert gaps(text) == []


def test_lines_of_several_tasks_are_several_records():
    text = "$ grep -h Cpus_allowed_list /proc/7/task/*/status\nCpus_allowed_list:\t0-3\nCpus_allowed_list:\t4-7\n"
    found = [part.found.record for part in read(text) if part.kind is ProcStatus]

    assert [str(status.allowed_cpus) for status in found] == ["0-3", "4-7"]


def test_an_output_that_cannot_be_parsed_is_a_gap_with_its_line_in_the_text():
    text = "x\n\n" + HARDWARE.replace("node 0 cpus: 0 1 2 3", "node 9999 cpus: 0")

    assert next(part for part in read(text) if isinstance(part, Gap)) == Gap(
        "unparsable", "pasted/ticket.txt", "line 4: NUMA node 9999 is above 4095"
    )


def test_a_long_numa_maps_is_searched_for_nothing_else():
    text = f"{HARDWARE}$ cat /proc/7/numa_maps\n{MAPS * 3000}$ lscpu\nCPU(s): 4\nOn-line CPU(s) list: 0-3\n"

    assert (kinds(text), first_lines(text), gaps(text)) == ([NumactlHardware, NumaMaps, Lscpu], [1, 6, 3007], [])


PIECES = (MATRIX, HARDWARE, MAPS, LEGEND, "$ ", "> ", "```\n", "\n", "\r", "\x1b[4m", "Cpus_allowed_list:\t0\n", "{", "GPU0 ")


@given(st.lists(st.sampled_from(PIECES)))
def test_any_mixture_gives_parts_and_gaps_whose_lines_are_those_of_the_text(pieces):
    text = "".join(pieces)
    found = read(text)

    for part in found:
        if isinstance(part, Part):
            assert 1 <= part.found.file.first_line <= text.count("\n") + 1
    assert all(part.kind in ("unrecognised", "unparsable") for part in found if isinstance(part, Gap))


@pytest.mark.parametrize("unit", ["a", " ", ">", "> ", "a| ", "(a) INFO ", "[2026-11-26 ", "me@host:", "\t", "=", "a b\n", ">\n"])
def test_what_stands_around_outputs_is_read_in_linear_time(unit):
    text = unit * ((1 << 16) // len(unit))
    started = process_time()
    read(text)

    assert process_time() - started < 2
