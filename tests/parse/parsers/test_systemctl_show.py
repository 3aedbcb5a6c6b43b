import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.systemctl_show import PARSER, SystemctlShow, parse

# As systemctl 252 prints a service with CPUAffinity=0 2 4-7,9 and AllowedCPUs=0,2 5-6, then one that sets neither, then a slice.
SERVICE = """\
Slice=app.slice
ControlGroup=/app.slice/train.service
EffectiveCPUs=
EffectiveMemoryNodes=
Delegate=yes
CPUQuotaPerSecUSec=16s
AllowedCPUs=0 2 5-6
AllowedMemoryNodes=0 3
CPUAffinity=0 2 4-7 9
NUMAPolicy=bind
NUMAMask=0 2-3
Id=train.service
"""
PLAIN = """\
Slice=app.slice
ControlGroup=/app.slice/plain.service
AllowedCPUs=
CPUAffinity=
NUMAPolicy=n/a
NUMAMask=
Id=plain.service
"""
SLICE = "Slice=-.slice\nControlGroup=/app.slice\nAllowedCPUs=0-3\nId=app.slice\n"
STOPPED = "Slice=\nControlGroup=\nAllowedCPUs=\nCPUAffinity=\nId=stopped.service\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (SERVICE, SystemctlShow("train.service", "/app.slice/train.service", CpuSet.parse("0,2,4-7,9"), CpuSet.parse("0,2,5-6"))),
        (PLAIN, SystemctlShow("plain.service", "/app.slice/plain.service", None, None)),
        (SLICE, SystemctlShow("app.slice", "/app.slice", None, CpuSet.parse("0-3"))),
        ("\n" + SLICE.replace("\n", "\r\n"), SystemctlShow("app.slice", "/app.slice", None, CpuSet.parse("0-3"))),
        ("Slice=-.slice\nControlGroup=/a.service\nCPUAffinity=x\n", SystemctlShow("a.service", "/a.service", None, None)),
    ],
)
def test_a_unit_and_the_cpus_it_sets(text: str, record: SystemctlShow) -> None:
    assert parse(text) == record


def test_the_next_unit_is_not_read_into_the_first() -> None:
    assert parse(f"{SLICE}\n{SERVICE}") == parse(SLICE)


@pytest.mark.parametrize("text", ["", "prose\n", STOPPED, f"{STOPPED}\n{SERVICE}", "ControlGroup=a.service\n"])
def test_a_text_without_a_control_group_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_each_running_unit_of_an_output_is_recognised() -> None:
    text = f"{SERVICE}\n{STOPPED}\n{PLAIN}\n{SLICE}"

    assert [text[match.start() :].splitlines()[1] for match in PARSER.matches(text)] == [
        "ControlGroup=/app.slice/train.service",
        "ControlGroup=/app.slice/plain.service",
        "ControlGroup=/app.slice",
    ]
