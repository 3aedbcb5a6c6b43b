"""The lines that traits were read from."""

from numaaudit.model.hardware_evidence import evidence_of
from numaaudit.model.sections.hardware import Hardware

DEVICES = "root/sys/bus/pci/devices"


def cited(host, *trait):
    hardware = host.section(Hardware)
    return [(each.path, each.text) for each in evidence_of(hardware.tree, hardware.found, *trait)]


def test_a_value_is_cited_by_its_line(host):
    assert cited(host("2p-2n-2g"), "gpus", "0000:98:00.0", "numa_node") == [(f"{DEVICES}/0000:98:00.0/numa_node", "1")]


def test_a_subject_is_cited_by_all_its_lines(host):
    paths = [path for path, _ in cited(host("2p-2n-2g"), "gpus", "0000:98:00.0", "")]

    assert paths == [f"{DEVICES}/0000:98:00.0", f"{DEVICES}/0000:98:00.0/numa_node"]


def test_what_the_kernel_has_no_file_of_is_not_cited(host):
    assert cited(host("2p-2n-2g"), "cpus", "host", "packages") == []
