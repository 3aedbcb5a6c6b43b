"""GPUs with their links and device files. Where they hang: tests/model/test_gpu_places.py."""

import pytest

from numaaudit.model.sections.devices import DeviceLink, Devices
from numaaudit.model.sections.ranks import Ranks

MATRIX = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\tPIX\t0-7\t0\nGPU1\tNV18\t X \tSYS\t8-15\t1\n"
NPUS = "\t   NPU0       NPU1       CPU Affinity\nNPU0       X          HCCS       0-7\nNPU1       HCCS       X          8-15\n"
ROCM = (
    "==== ROCm System Management Interface ====\n==== Link Type between two GPUs ====\n"
    "       GPU0  GPU1\nGPU0   0     XGMI\nGPU1   XGMI  0\n"
)
PCI, DRM, KFD = "root/sys/bus/pci/devices", "root/sys/class/drm", "root/sys/class/kfd/kfd/topology/nodes"
AMD = {f"{PCI}/0000:1b:00.0/class": "0x038000", f"{PCI}/0000:1b:00.0/vendor": "0x1002", f"{PCI}/0000:1b:00.0/device": "0x740f"}


def devices(build, entries):
    return build(entries if isinstance(entries, dict) else {"pasted/paste.txt": entries}).section(Devices)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MATRIX, {("GPU0", "GPU1", "NV18"), ("GPU1", "GPU0", "NV18"), ("GPU0", "NIC0", "PIX"), ("GPU1", "NIC0", "SYS")}),
        (NPUS, {("NPU0", "NPU1", "HCCS"), ("NPU1", "NPU0", "HCCS")}),
        (ROCM, {("GPU0", "GPU1", "XGMI"), ("GPU1", "GPU0", "XGMI")}),
    ],
)
def test_links_are_those_of_the_vendors_matrix(build, text, expected):
    assert set(devices(build, text).links) == {DeviceLink(*link) for link in expected}


def test_of_two_matrices_the_first_counts(build):
    assert len(devices(build, MATRIX + "\n" + MATRIX.replace("NV18", "SYS")).links) == 4


def test_a_gpu_is_found_by_address_uuid_or_index(host, build):
    found = host("2p-2n-2g").section(Devices)

    names = ("0000:98:00.0", "GPU-11111111-1111-2222-3333-444444444444")
    assert [found.gpu_named(name).gpu_minor for name in names] == [1, 1]
    assert devices(build, MATRIX).gpu_named("#1").index == 1
    assert found.gpu_named("#7") is None


def test_an_nvidia_gpus_file_has_its_minor_number(host):
    assert [gpu.device_files for gpu in host("2p-2n-2g").section(Devices).gpus] == [("/dev/nvidia0",), ("/dev/nvidia1",)]


def test_an_npus_file_has_its_index(build):
    assert [gpu.device_files for gpu in devices(build, NPUS).gpus] == [("/dev/davinci0",), ("/dev/davinci1",)]


def test_a_gpus_render_node_is_known_from_the_link_or_from_kfd(build):
    link = {f"{DRM}/renderD129": "@../../devices/pci0000:00/0000:1b:00.0/drm/renderD129"}
    device = {f"{DRM}/renderD130/device": "@../../../0000:1b:00.0"}
    kfd = {f"{KFD}/1/properties": "cpu_cores_count 0\nsimd_count 4\nvendor_id 4098\nlocation_id 6912\ndomain 0\ndrm_render_minor 131\n"}

    for more, expected in ((link, 129), (device, 130), (kfd, 131)):
        assert devices(build, AMD | more).gpus[0].device_files == (f"/dev/dri/renderD{expected}",)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("root/sys/class/accel/accel3", "/dev/accel/accel3"),
        ("root/sys/class/accel/accel3/device", "/dev/accel/accel3"),
        ("root/sys/class/habanalabs/hl3", "/dev/hl3"),
        ("root/sys/class/accel/accel_controlD3", None),
    ],
)
def test_a_gaudis_file_is_known_from_its_class(build, link, expected):
    gaudi = "root/sys/bus/pci/devices/0000:1b:00.0"
    entries = {f"{gaudi}/vendor": "0x1da3\n", f"{gaudi}/device": "0x1020\n", f"{gaudi}/class": "0x120000\n"}

    [gpu] = devices(build, entries | {link: "@../../devices/pci0000:00/0000:1b:00.0"}).gpus
    assert (gpu.vendor, gpu.device_files) == ("habana", (expected,) if expected else ())


def test_an_open_device_file_of_any_vendor_leads_to_its_gpu(build):
    process = {"root/proc/7/status": "Name:\tp\nPid:\t7\n", "root/proc/7/fd/5": "@/dev/davinci1"}
    [rank] = build(process | {"pasted/paste.txt": NPUS}).section(Ranks).all

    assert ([gpu.index for gpu in rank.gpus], rank.gpu_source) == ([1], "open-device")


def test_no_gpu_is_found_under_the_name_of_nothing(build):
    devices = build({"commands/nvidia-smi_-L.out": "GPU 0: NVIDIA H100 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"}).section(
        Devices
    )

    assert (devices.gpu_named("None"), devices.gpu_named("#0")) == (None, devices.gpus[0])
