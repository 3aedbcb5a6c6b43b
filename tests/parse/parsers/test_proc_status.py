import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.proc_status import PARSER, ProcStatus, parse

WORKER = """\
Name:\tVLLM::Worker_TP1
Umask:\t0022
State:\tS (sleeping)
Tgid:\t4242
Ngid:\t0
Pid:\t4242
PPid:\t4100
TracerPid:\t0
Uid:\t1000\t1001\t1001\t1001
Gid:\t1000\t1000\t1000\t1000
NStgid:\t4242\t17
NSpid:\t4242\t17
Kthread:\t0
VmLck:\t       4 kB
VmPin:\t       8 kB
VmRSS:\t  734744 kB
RssAnon:\t  600000 kB
RssFile:\t  134000 kB
RssShmem:\t     744 kB
VmSwap:\t      12 kB
HugetlbPages:\t    4096 kB
untag_mask:\t0xffffffffffffffff
Threads:\t96
CapEff:\t00000000a80425fb
Seccomp:\t2
Cpus_allowed:\tff,00000000
Cpus_allowed_list:\t32-39
Mems_allowed:\t00000000,00000002
Mems_allowed_list:\t1
voluntary_ctxt_switches:\t11
nonvoluntary_ctxt_switches:\t3
"""
KIB = 1024
NOTHING = ProcStatus(*[None] * len(ProcStatus._fields))
RECORD = ProcStatus(
    name="VLLM::Worker_TP1", tgid=4242, pid=4242, ppid=4100, ns_pids=(4242, 17), uid=1000, num_threads=96,
    allowed_cpus=CpuSet.parse("32-39"), allowed_mems=NodeSet.parse("1"),
    rss_bytes=734744 * KIB, rss_anon_bytes=600000 * KIB, rss_file_bytes=134000 * KIB, rss_shmem_bytes=744 * KIB,
    hugetlb_bytes=4096 * KIB, swap_bytes=12 * KIB, locked_bytes=4 * KIB, pinned_bytes=8 * KIB,
    seccomp=2, cap_eff=0xA80425FB, is_kernel_thread=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (WORKER, RECORD),
        (WORKER + "\0", RECORD),
        (WORKER.replace("\t", "   "), RECORD),
        (WORKER.replace("\n", "\r\n"), RECORD),
        (WORKER.replace("Cpus_allowed_list:\t32-39\n", ""), RECORD),
        (WORKER.replace("Mems_allowed_list:\t1\n", ""), RECORD),
        (WORKER.replace("Ngid:", "Brand_new_key:"), RECORD),
        ("\n".join("    " + line for line in WORKER.splitlines()), RECORD),
        ("Name:\tkswapd0\nPid:\t99\nCpus_allowed_list:\t0-63\n",
         NOTHING._replace(name="kswapd0", pid=99, allowed_cpus=CpuSet.parse("0-63"))),
        ("Cpus_allowed:\t3\n", NOTHING._replace(allowed_cpus=CpuSet((0, 1)))),
        ("Cpus_allowed_list:\t\n", NOTHING._replace(allowed_cpus=CpuSet())),
        ("/proc/7/status:Cpus_allowed_list:\t0-3\n/proc/7/status:Mems_allowed_list:\t0\n",
         NOTHING._replace(tgid=7, pid=7, allowed_cpus=CpuSet.parse("0-3"), allowed_mems=NodeSet((0,)))),
        ("/proc/7/task/9/status:Cpus_allowed_list: 0\n", NOTHING._replace(tgid=7, pid=9, allowed_cpus=CpuSet((0,)))),
        ("/proc/7/status:Pid:\t7\n", NOTHING._replace(tgid=7, pid=7)),
    ],
)  # fmt: skip
def test_a_status_text_gives_the_record(text: str, record: ProcStatus) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("\0\0", None),
        ("some prose: with a colon\n", None),
        ("Name:\tx\nThreads:\tmany\n", 2),
        ("Name:\tx\nThreads:\t-1\n", 2),
        ("Name:\tx\nState:\tS\nCpus_allowed_list:\t7-3\n", 3),
        ("Cpus_allowed_list:\t0-999999999\n", 1),
        ("Name:\tx\nCpus_allowed:\txyz\n", 2),
        ("VmRSS:\t12 MB\n", 1),
        ("VmRSS:\t12", 1),
        ("CapEff:\t0x1_0\n", 1),
        ("NSpid:\t1\tx\n", 1),
    ],
)
def test_a_text_that_is_no_status_is_refused_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == line


def test_lines_of_several_tasks_are_refused() -> None:
    with pytest.raises(ParseError, match="several tasks"):
        parse("/proc/7/status:Pid:\t7\n/proc/8/status:Pid:\t8\n")


@pytest.mark.parametrize(
    ("pasted", "parts"),
    [
        (WORKER, [WORKER]),
        ("$ cat status\n" + WORKER + "$ exit\n", [WORKER]),
        (WORKER + WORKER, [WORKER, WORKER]),
        ("Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0\n",
         ["Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0\n"]),
        ("/proc/7/status:Cpus_allowed_list:\t0\n/proc/8/status:Cpus_allowed_list:\t1\n",
         ["/proc/7/status:Cpus_allowed_list:\t0\n", "/proc/8/status:Cpus_allowed_list:\t1\n"]),
        ("Name:         nginx\nNamespace:    default\n", []),
    ],
)  # fmt: skip
def test_a_pasted_text_is_recognised_once_for_each_task(pasted: str, parts: list[str]) -> None:
    assert [match[0] + "\n" for match in PARSER.matches(pasted)] == [part.rstrip("\n") + "\n" for part in parts]


def test_a_path_in_front_tells_process_and_thread_beside_the_pid_line() -> None:
    prefix = "/proc/7/task/8/status:"
    status = parse(f"{prefix}Pid:\t8\n{prefix}Cpus_allowed_list:\t0-1\n")

    assert (status.tgid, status.pid, str(status.allowed_cpus)) == (7, 8, "0-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Threads:\t8\nCpus_allowed_list:\t0\n\nx\n", ["Threads:\t8\nCpus_allowed_list:\t0"]),
        ("Cpus_allowed_list:\t0\nCpus_allowed_list:\t1\n", ["Cpus_allowed_list:\t0", "Cpus_allowed_list:\t1"]),
        ("Pid:\t7\nMems_allowed:\t1\nPid:\t8\nMems_allowed:\t1", ["Pid:\t7\nMems_allowed:\t1", "Pid:\t8\nMems_allowed:\t1"]),
        ("proc/7/status:Pid:\t7\nproc/8/status:Pid:\t8\n", ["proc/7/status:Pid:\t7", "proc/8/status:Pid:\t8"]),
        ("Threads:\t8\nPid:\t7\n", []),
    ],
)
def test_an_excerpt_ends_where_the_next_task_begins(text: str, expected: list[str]) -> None:
    assert [match[0] for match in PARSER.matches(text)] == expected
