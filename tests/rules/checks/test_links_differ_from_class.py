"""NA903: links, NICs and NVMe controllers against the class."""

import pytest

from numaaudit.compare.hardware_class import expecting
from numaaudit.model.sections.hardware import Hardware

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
NIC = "root/sys/devices/pci0000:97/0000:97:01.0/0000:99:00.0"
TOPO = "commands/nvidia-smi_topo_-m.out"
TABLE = (
    "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV18\t0-1,4-5\t0\t\tN/A\nGPU1\tNV18\t X \t2-3,6-7\t1\t\tN/A\n\nLegend:\n\n  X    = Self\n"
)
SUBJECTS = ("gpu:0000:17:00.0", "gpu:0000:98:00.0", "nic:0000:18:00.0", "nic:0000:99:00.0")


@pytest.fixture
def wide(root):
    """A host whose links are known."""
    links = {f"{folder}/{name}_link_width": "16\n" for folder in (GPU, NIC) for name in ("current", "max")}
    links |= {f"{folder}/{name}_link_speed": "32.0 GT/s PCIe\n" for folder in (GPU, NIC) for name in ("current", "max")}
    return root("2p-2n-2g") | links | {TOPO: TABLE}


@pytest.fixture
def against(wide, build):
    """The model of entries that is expected to be of the class of ``wide``."""
    return lambda entries: expecting(build(entries), build(wide).section(Hardware).found)


def expected(*outcomes):
    return set(zip(SUBJECTS, outcomes, strict=True))


def test_silent_on_a_host_of_the_class(wide, against, outcomes):
    assert outcomes(against(wide), "NA903") == expected("pass", "pass", "pass", "pass")


def test_silent_about_a_gpu_that_idles(wide, against, outcomes):
    entries = wide | {f"{GPU}/current_link_speed": "2.5 GT/s PCIe\n"}

    assert outcomes(against(entries), "NA903") == expected("pass", "pass", "pass", "pass")


def test_silent_about_a_gpu_that_is_missing_which_na901_tells(wide, against, removed, outcomes):
    entries = removed(wide, "0000:98:00.0")

    assert outcomes(against(entries), "NA903") == {(subject, "pass") for subject in SUBJECTS if "98" not in subject}


def test_does_not_apply_without_a_class(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA903") == {("host", "not_applicable")}


def test_names_a_link_that_trained_narrow(wide, against, outcomes):
    entries = wide | {f"{GPU}/current_link_width": "8\n", f"{NIC}/current_link_speed": "8.0 GT/s PCIe\n"}

    assert outcomes(against(entries), "NA903") == expected("pass", "fail", "pass", "fail")


def test_names_a_nic_that_is_missing(wide, against, removed, outcomes):
    assert outcomes(against(removed(wide, "0000:99:00.0")), "NA903") == expected("pass", "pass", "pass", "fail")


def test_names_gpus_that_lost_their_nvlink(wide, against, outcomes):
    entries = wide | {TOPO: TABLE.replace("NV18", "SYS")}

    assert outcomes(against(entries), "NA903") == expected("fail", "pass", "pass", "pass")


def test_unknown_where_a_width_is_not_told(wide, against, removed, outcomes):
    entries = removed(wide, "0000:98:00.0/current_link_width")

    assert outcomes(against(entries), "NA903") == expected("pass", "unknown", "pass", "pass")
