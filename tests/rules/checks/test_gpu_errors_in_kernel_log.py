"""NA403: Xid lines, and errors of PCI Express links."""

import pytest

LOG = "logs/kernel.log"
LINE = "[  9.1] NVRM: Xid (PCI:0000:98:00): {}, pid=101, name=python3, channel 1\n"


def test_silent_without_a_log(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA403") == set()


def test_silent_for_a_log_without_errors(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {LOG: "[  1.0] NVRM: loading NVIDIA UNIX Open Kernel Module\n"}), "NA403") == set()


def test_errors_of_a_gpu_are_a_note_for_its_rank(root, build, outcomes, judge):
    host = build(root("2p-2n-2g") | {LOG: LINE.format(79) + LINE.format(45) + LINE.format(79)})

    assert outcomes(host, "NA403") == {("gpu:0000:98:00.0", "fail")}
    (failure,) = judge(host, "NA403")
    assert (failure.facts["num_errors"], failure.facts["kinds"], failure.related) == (3, "Xid 45, Xid 79", ("rank:1",))
    assert [(each.path, each.line) for each in failure.evidence] == [(LOG, 1), (LOG, 2), (LOG, 3)]


def test_a_gpu_that_is_unknown_here_is_named_all_the_same(root, build, outcomes):
    host = build(root("2p-2n-2g") | {LOG: LINE.format(79).replace("0000:98:00", "0000:aa:00")})

    assert outcomes(host, "NA403") == {("gpu:0000:aa:00.0", "fail")}


AER = "[  9.1] {}: PCIe Bus Error: severity={}, type=Data Link Layer, (Receiver ID)\n"


@pytest.mark.parametrize("place", ["nvidia 0000:98:00.0", "pcieport 0000:97:01.0"])
def test_an_error_of_its_link_is_the_gpus(root, build, outcomes, judge, place):
    host = build(root("2p-2n-2g") | {"commands/dmesg.out": AER.format(place, "Corrected") + AER.format(place, "Uncorrected (Fatal)")})

    assert outcomes(host, "NA403") == {("gpu:0000:98:00.0", "fail")}
    (failure,) = judge(host, "NA403")
    assert failure.facts["kinds"] == "PCI Express, corrected, PCI Express, not corrected"


def test_an_error_of_another_devices_link_is_not(root, build, outcomes):
    host = build(root("2p-2n-2g") | {"commands/dmesg.out": AER.format("nvme 0000:02:00.0", "Corrected")})

    assert outcomes(host, "NA403") == set()
