"""The OOM killer's and NVIDIA's lines in a kernel log."""

import pytest

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.kernel_log import BusError, KernelLog, OomKill, Xid, parse

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
        (
            "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=a.scope,mems_allowed=1-2,task=app,pid=9\n",
            OomKill("CONSTRAINT_CPUSET", NodeSet([1, 2]), "app", 9, None, 1),
        ),
        (
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a.scope,mems_allowed=1-2,task=app,pid=9\n",
            OomKill("CONSTRAINT_MEMCG", None, "app", 9, None, 1),
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


@pytest.mark.parametrize(
    ("line", "address", "is_corrected"),
    [
        ("[ 9.1] pcieport 0000:16:01.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)", "0000:16:01.0", True),
        ("nvidia 0000:17:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)", "0000:17:00.0", True),
        ("pcieport 0000:16:01.0: AER: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer", "0000:16:01.0", False),
        ("pcieport 0000:16:01.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer", "0000:16:01.0", False),
    ],
)
def test_an_error_of_a_link_with_the_device_that_reports_it(line, address, is_corrected):
    assert parse(f"{line}\n") == KernelLog((), (), (BusError(PciAddress.parse(address), is_corrected, 1),))


@pytest.mark.parametrize(
    ("text", "hypervisor"),
    [
        ("[ 0.0] Hypervisor detected: KVM\n", "KVM"),
        ("[ 0.0] Hypervisor detected: KVM\n[ 0.1] ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)\n", "Firecracker"),
        ("[   0.000000] Starting gVisor...\n[   0.4] Ready!\n", "gVisor"),
        ("[ 0.1] ACPI: RSDP 0x00000000000F05B0 000024 (v02 DELL  )\n", None),
    ],
)
def test_the_hypervisor_that_the_kernel_found(text, hypervisor):
    assert parse(text).hypervisor == hypervisor
