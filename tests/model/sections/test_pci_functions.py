import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.core.pci import PciAddress
from numaaudit.model.sections.pci_functions import FOLDER, PciFunctions, PciLink

ADDRESS = PciAddress(0, 0x1B, 0, 0)
DEVICE = f"{FOLDER}/0000:1b:00.0"


def function(build, **files):
    entries = {f"{DEVICE}/{name}": f"{text}\n" for name, text in {"class": "0x030200", **files}.items()}
    return build(entries).section(PciFunctions).by_address[ADDRESS]


def test_facts_are_the_files(build):
    found = function(build, vendor="0x10de", device="0x2330", numa_node="1", local_cpulist="2-3")

    assert (found.class_code, found.vendor, found.device, found.numa_node, str(found.local_cpus)) == (0x030200, 0x10DE, 0x2330, 1, "2-3")
    assert [(line.path, line.text) for line in found.evidence] == [(f"{DEVICE}/numa_node", "1")]


@pytest.mark.parametrize(
    ("files", "gap"),
    [
        ({"numa_node": "-1"}, Gap("absent", f"{DEVICE}/numa_node", "the firmware names no NUMA node (-1)")),
        ({"numa_node": "x"}, Gap("unparsable", f"{DEVICE}/numa_node", "not a number")),
        ({}, Gap("absent", f"{DEVICE}/numa_node", "not in the input")),
    ],
)
def test_a_node_that_is_not_told_is_a_gap(build, files, gap):
    found = function(build, **files)

    assert (found.numa_node, found.numa_node_gap) == (None, gap)


def test_a_mask_stands_in_for_a_list_of_local_cpus(build):
    assert str(function(build, local_cpus="00000000,0000000c").local_cpus) == "2-3"


def test_what_a_link_is_and_could_be(build):
    files = {"current_link_speed": "8.0 GT/s PCIe", "max_link_speed": "Unknown", "current_link_width": "16", "max_link_width": "255"}

    assert function(build, **files).link == PciLink(8.0, None, 16, None)


def test_the_bridges_above_are_in_the_links_target(build):
    entries = {
        DEVICE: "@../../../devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:1b:00.0",
        "root/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.0/0000:1b:00.0/class": "0x030200",
    }
    found = build(entries).section(PciFunctions).by_address[ADDRESS]

    assert found.upstream == (PciAddress(0, 0x16, 1, 0), PciAddress(0, 0x17, 0, 0))


def test_a_class_is_asked_for_by_base_or_with_its_subclass(build):
    entries = {f"{FOLDER}/0000:0{number}:00.0/class": code for number, code in enumerate(("0x010802", "0x010400", "0x020000"))}
    found = build(entries).section(PciFunctions)

    assert [str(each.address) for each in found.of_class(0x0108, 0x02)] == ["0000:00:00.0", "0000:02:00.0"]


def test_a_function_without_a_class_is_a_gap(build):
    found = build({f"{DEVICE}/vendor": "0x10de"}).section(PciFunctions)

    assert (found.by_address, [gap.path for gap in found.gaps]) == ({}, [f"{DEVICE}/class"])
