"""The OOM killer's and NVIDIA's lines in a kernel log."""

import pytest

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.kernel_log import KernelLog, OomKill, Xid, parse

OOM = "[7.1] oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1,cpuset=/,mems_allowed=0-1,task_memcg=/work,task=app,pid=900,uid=0\n"
KILLED = "[7.2] Out of memory: Killed process 900 (app) total-vm:702kB, anon-rss:500kB, file-rss:6kB, shmem-rss:0kB\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OOM + KILLED, OomKill("CONSTRAINT_MEMORY_POLICY", NodeSet([1]), "app", 900, 500 * 1024, 1)),
        ("x\n" + OOM, OomKill("CONSTRAINT_MEMORY_POLICY", NodeSet([1]), "app", 900, None, 2)),
        ("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=a,pid=1\n", OomKill("CONSTRAINT_NONE", None, "a", 1, None, 1)),
        (
            "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=0-1,3,cpuset=/,task=app\n" + KILLED,
            OomKill("CONSTRAINT_CPUSET", NodeSet([0, 1, 3]), "app", 900, 500 * 1024, 1),
        ),
    ],
)
def test_a_kill_with_its_constraint(text, expected):
    assert parse(text) == KernelLog((expected,), ())


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.", 79),
        ("Oct 06 17:59:27 gpu1 kernel: NVRM: Xid (PCI:0000:17:00): 79, pid=1122, GPU has fallen off the bus.", 79),
        ("NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 79),
        ("[ 9.1] NVRM: Xid (PCI:0000:17:00): 31, pid=7974, name=app, Ch 0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS", 31),
    ],
)
def test_an_xid_with_its_gpu_as_drivers_of_several_years_print_it(line, number):
    assert parse(f"x\n{line}\n") == KernelLog((), (Xid(PciAddress.parse("0000:17:00.0"), number, 2),))


@pytest.mark.parametrize("text", ["", "Out of memory: Killed process 1 (a)\n", "oom-kill:constraint=\n", "NVRM: loading\n"])
def test_other_lines_say_nothing(text):
    assert parse(text) == KernelLog((), ())
