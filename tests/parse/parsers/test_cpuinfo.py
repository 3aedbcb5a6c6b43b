import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.cpuinfo import Cpuinfo, CpuinfoCpu, parse

X86 = """\
processor\t: 0
vendor_id\t: GenuineIntel
model\t\t: 106
model name\t: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz
physical id\t: 0
core id\t\t: 0
flags\t\t: fpu vme hypervisor

processor\t: 64
vendor_id\t: GenuineIntel
model name\t: Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz
physical id\t: 1
core id\t\t: 7
flags\t\t: fpu vme hypervisor
"""
S390 = """\
vendor_id       : IBM/S390
# processors    : 2
processor 1: version = FF,  identification = 1633E8,  machine = 2964
processor 4: version = FF,  identification = 1633E8,  machine = 2964

cpu number      : 1
physical id     : 2
core id         : 3

cpu number      : 4
physical id     : 2
core id         : 4
"""
IA64 = (
    "processor  : 0\nvendor     : GenuineIntel\nfamily     : Itanium 2\ncpu number : 0\nphysical id: 512\ncore id    : 0\n\n"
    "processor  : 1\nvendor     : GenuineIntel\nfamily     : Itanium 2\ncpu number : 0\nphysical id: 512\ncore id    : 1\n"
)


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (X86, Cpuinfo((CpuinfoCpu(0, 0, 0), CpuinfoCpu(64, 1, 7)), "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "GenuineIntel", True)),
        (S390, Cpuinfo((CpuinfoCpu(1, 2, 3), CpuinfoCpu(4, 2, 4)), None, "IBM/S390", None)),
        (IA64, Cpuinfo((CpuinfoCpu(0, 512, 0), CpuinfoCpu(1, 512, 1)), "Itanium 2", "GenuineIntel", None)),
        ("cpu\t\t: UltraSparc T2 (Niagara2)\nncpus active\t: 2\nCpu6ClkTck\t: 0ec82e00\nState:\nCPU6:\t\tonline\nCPU10:\t\tonline\n",
         Cpuinfo((CpuinfoCpu(6, None, None), CpuinfoCpu(10, None, None)), "UltraSparc T2 (Niagara2)", None, None)),
        ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n\ntimebase\t: 512000000\n",
         Cpuinfo((CpuinfoCpu(0, None, None),), "POWER9, altivec supported", None, None)),
        ("system type\t\t: generic-machine\n\nprocessor\t\t: 0\npackage\t\t\t: 1\ncore\t\t\t: 2\nModel Name\t\t: Loongson-3A5000\n",
         Cpuinfo((CpuinfoCpu(0, 1, 2),), "Loongson-3A5000", None, None)),
        ("Processor\t: ARMv7 Processor rev 1 (v7l)\nprocessor\t: 1\nCPU implementer\t: 0x41\n",
         Cpuinfo((CpuinfoCpu(1, None, None),), "ARMv7 Processor rev 1 (v7l)", "0x41", None)),
        ("Processor\t: ARMv6-compatible processor rev 7 (v6l)\n",
         Cpuinfo((CpuinfoCpu(0, None, None),), "ARMv6-compatible processor rev 7 (v6l)", None, None)),
        ("processor\t: 0\nphysical id\t: -1\n\0", Cpuinfo((CpuinfoCpu(0, None, None),), None, None, None)),
    ],
)  # fmt: skip
def test_the_words_of_each_architecture_give_the_record(text: str, record: Cpuinfo) -> None:
    assert parse(text) == record


def test_the_online_cpus_may_have_holes() -> None:
    assert str(parse(X86).online) == "0,64"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("model name : x\n", None),
        ("processor : 0\nprocessor : 99999\n", 2),
        ("processor : x\n", 1),
        ("processor : 0\ncore id : x\n", None),
    ],
)
def test_a_text_without_a_possible_cpu_is_refused(text: str, line: int | None) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == line
