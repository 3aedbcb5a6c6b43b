import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.interrupts import PARSER, Interrupt, Interrupts, parse

HEAD = "           CPU0       CPU2       CPU3       \n"
CPUS = CpuSet((0, 2, 3))


def one(line: str) -> Interrupt:
    """The record of one line below the usual header."""
    return parse(f"{HEAD}{line}\n").lines[0]


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (
            " 27:      10         30         20  IR-PCI-MSI 512000-edge      0000:00:1f.2",
            Interrupt(
                27, 60, 2, ((0, 10), (2, 30), (3, 20)), "IR-PCI-MSI 512000-edge 0000:00:1f.2", ("0000:00:1f.2",), PciAddress(0, 0, 0x1F, 2)
            ),
        ),
        (
            " 16:       0          0          5  IR-IO-APIC  16-fasteoi   ehci_hcd:usb3, mmc0",
            Interrupt(16, 5, 3, ((3, 5),), "IR-IO-APIC 16-fasteoi ehci_hcd:usb3, mmc0", ("ehci_hcd:usb3", "mmc0"), None),
        ),
        (
            " 80:       0          0          0 PCI-MSIX-0000:81:00.0   1-edge      nvme0q1",
            Interrupt(80, 0, None, (), "PCI-MSIX-0000:81:00.0 1-edge nvme0q1", ("nvme0q1",), PciAddress(0, 0x81, 0, 0)),
        ),
        (
            " 96:   68719          0          1  IR-PCI-MSI 9437189-edge      mlx5_comp1@pci:0000:12:00.0",
            Interrupt(
                96,
                68720,
                0,
                ((0, 68719), (3, 1)),
                "IR-PCI-MSI 9437189-edge mlx5_comp1@pci:0000:12:00.0",
                ("mlx5_comp1@pci:0000:12:00.0",),
                PciAddress(0, 0x12, 0, 0),
            ),
        ),
        (
            " 10: 3287008667 3310445093 3301386305     GICv3  27 Level     arch_timer",
            Interrupt(
                10, 9898840065, 2, ((0, 3287008667), (2, 3310445093), (3, 3301386305)), "GICv3 27 Level arch_timer", ("arch_timer",), None
            ),
        ),
        ("  0:       1          1          0  IR-IO-APIC-edge", Interrupt(0, 2, 0, ((0, 1), (2, 1)), "IR-IO-APIC-edge", (), None)),
        ("  3:       1          0          0", Interrupt(3, 1, 0, ((0, 1),), "", (), None)),
    ],
)
def test_every_form_of_a_line_gives_the_record(line: str, record: Interrupt) -> None:
    assert one(line) == record


def test_the_header_names_the_online_cpus_and_lines_without_a_number_are_left_out() -> None:
    text = HEAD + "  1:  1  0  0  IO-APIC  1-edge  i8042\nNMI:  5  5  5   Non-maskable interrupts\nERR:          0\n"
    interrupts = parse(text)
    assert (interrupts.online_cpus, [line.irq for line in interrupts.lines]) == (CPUS, [1])


def test_of_columns_left_out_by_hand_no_total_is_made() -> None:
    text = "         CPU0    CPU1   ...     CPU39\n  96:   68719   42920   ...        7  IR-PCI-MSI 9437189-edge      mlx5_comp1\n"
    assert parse(text) == Interrupts(
        None, (Interrupt(96, None, None, ((0, 68719), (1, 42920), (39, 7)), "IR-PCI-MSI 9437189-edge mlx5_comp1", ("mlx5_comp1",), None),)
    )


def test_a_last_line_that_was_cut_is_left_out() -> None:
    assert [line.irq for line in parse(HEAD + "  1:  1  0  0  IO-APIC  1-edge  i8042\n  8:  1  0").lines] == [1]


def test_lines_are_found_by_number() -> None:
    assert parse(HEAD + "  8:  1  0  0  IO-APIC  8-edge  rtc0\n").by_irq()[8].actions == ("rtc0",)


def test_a_host_of_many_cpus_is_read() -> None:
    cpus = range(0, 2304, 2)
    text = " ".join(f"CPU{cpu}" for cpu in cpus) + "\n 36: " + "          0" * 1151 + " 7  IR-PCI-MSI 5-edge      hpsa0\n"
    interrupts = parse(text)
    assert (interrupts.online_cpus, interrupts.lines[0].busiest_cpu) == (CpuSet(cpus), 2302)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("\0", 1),
        ("  1:  1  0  0  IO-APIC\n", 1),
        (HEAD + "  1:  1  0\n", 2),
        (HEAD + "  1:  1  x  0  IO-APIC\n", 2),
        ("   CPU0  CPU99999\n", 1),
        ("   CPU0  cpu1\n", 1),
        ("   ...  CPU1\n", 1),
    ],
)
def test_a_text_of_another_form_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == line


@pytest.mark.parametrize(("pasted", "found"), [(HEAD, 1), ("  CPU0\n  0: 1\n", 1), ("CPU NODE SOCKET\n", 0), ("x CPU0 y\n", 0)])
def test_a_pasted_header_is_recognised(pasted: str, found: int) -> None:
    assert len(list(PARSER.matches(pasted))) == found
