import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.core.pci import PciAddress
from numaaudit.model.gpus import Gpu, Mig
from numaaudit.model.visible_devices import visible_gpus

H100 = "NVIDIA H100 80GB HBM3"


def gpu(number: int, vendor: str = "nvidia", model: str | None = H100, uuid: str | None = None, mig: tuple[Mig, ...] = ()) -> Gpu:
    return Gpu(vendor, PciAddress(0, 0x10 + number, 0, 0), number, gpu_uuid=uuid or f"GPU-{number}a0{number}-x", model=model, mig=mig)


FOUR = tuple(gpu(number) for number in range(4))
AMD = tuple(gpu(number, "amd", "MI300X") for number in range(4))
ASCEND = tuple(gpu(number, "huawei", "Ascend910") for number in range(4))
MIXED = (gpu(0, model="NVIDIA T4"), gpu(1))
PARTS = (Mig("1g.10gb", 0, "MIG-aaaa"), Mig("1g.10gb", 1, "MIG-aabb"))
SPLIT = (gpu(0, mig=PARTS), gpu(1, mig=(Mig("7g.80gb", 0, "MIG-cccc"),)))


def indices(environ: dict[str, str], gpus: tuple[Gpu, ...]) -> list[int | None] | str:
    """The index of each visible GPU, or the variable that leaves it open."""
    visible = visible_gpus(environ, gpus)
    return f"gap {visible.path}".strip() if isinstance(visible, Gap) else [found.index for found in visible]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("2,0", [2, 0]),
        ("0,2,-1,1", [0, 2]),
        ("1gpu2", [1]),
        (" 1 , 3", [1, 3]),
        ("0,0", []),
        ("0,1,0", []),
        ("0,9,1", [0]),
        ("9", []),
        ("0,GPU-1a", [0]),
        ("0,,1", [0]),
        ("GPU-2a02-x,GPU-0a", [2, 0]),
        ("GPU-", []),
        ("GPU-2a,GPU-2a02-x", []),
        ("GPU-2a,1", [2]),
        ("GPU-2a,GPU-nobody,GPU-1a", [2]),
        ("GPU-nobody", []),
        ("MIG-GPU-3a03-x/1/0", [3]),
        ("MIG-unheard-of", "gap CUDA_VISIBLE_DEVICES"),
    ],
)
def test_cuda_visible_devices_is_read_as_the_driver_does(value: str, expected: list[int] | str) -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": value}, FOUR) == expected


def test_without_a_variable_all_gpus_are_visible_in_pci_order() -> None:
    assert indices({}, FOUR[::-1]) == [0, 1, 2, 3]


def test_without_gpus_nothing_is_visible() -> None:
    assert visible_gpus({"CUDA_VISIBLE_DEVICES": "0"}, ()) == ()


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "gap CUDA_DEVICE_ORDER"),
        ({"CUDA_VISIBLE_DEVICES": "0"}, "gap CUDA_DEVICE_ORDER"),
        ({"CUDA_VISIBLE_DEVICES": "0", "CUDA_DEVICE_ORDER": "FASTEST_FIRST"}, "gap CUDA_DEVICE_ORDER"),
        ({"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, [1]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-1a"}, [1]),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, []),
    ],
)
def test_numbers_mean_nothing_where_the_models_differ_unless_pci_order_is_asked_for(
    environ: dict[str, str], expected: list[int] | str
) -> None:
    assert indices(environ, MIXED) == expected


def test_numbers_mean_nothing_where_the_models_are_not_known() -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": "0"}, tuple(found._replace(model=None) for found in FOUR)) == "gap CUDA_DEVICE_ORDER"


def test_one_gpu_needs_no_order() -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": "0"}, (gpu(5, model=None),)) == [5]


def test_a_uuid_means_nothing_where_uuids_are_not_known() -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": "GPU-1a"}, tuple(found._replace(gpu_uuid=None) for found in FOUR)) == "gap CUDA_VISIBLE_DEVICES"


def test_without_pci_addresses_the_index_gives_the_order_and_without_both_nothing_does() -> None:
    bare = tuple(found._replace(pci_address=None) for found in FOUR[::-1])
    assert (indices({}, bare), indices({}, tuple(found._replace(index=None) for found in bare))) == ([0, 1, 2, 3], "gap")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("MIG-aabb", [0]),
        ("MIG-aaaa,MIG-aabb", [0, 0]),
        ("MIG-cc,MIG-aaaa", [1, 0]),
        ("MIG-aa", []),
        ("MIG-aaaa,MIG-aaaa", []),
        ("MIG-aaaa,GPU-1a", [0]),
    ],
)
def test_a_mig_device_is_a_part_of_its_gpu(value: str, expected: list[int]) -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": value}, SPLIT) == expected


@pytest.mark.parametrize(
    ("mapped", "cuda", "expected"),
    [
        ("all", "1", [1]),
        ("2,3", "0", [2]),
        ("3,2", "0", [2]),
        ("GPU-2a02-x", None, [2]),
        ("GPU-2a02-x", "0", [2]),
        ("none", None, []),
        ("void", None, "gap NVIDIA_VISIBLE_DEVICES"),
        ("GPU-of-another-host", "0", "gap NVIDIA_VISIBLE_DEVICES"),
    ],
)
def test_a_containers_numbers_count_in_the_devices_it_was_given(mapped: str, cuda: str | None, expected: list[int] | str) -> None:
    environ = {"NVIDIA_VISIBLE_DEVICES": mapped} | ({} if cuda is None else {"CUDA_VISIBLE_DEVICES": cuda})
    assert indices(environ, FOUR) == expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, [0, 1, 2, 3]),
        ({"ROCR_VISIBLE_DEVICES": "2,3"}, [2, 3]),
        ({"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1"}, [3]),
        ({"ROCR_VISIBLE_DEVICES": "GPU-3a03-x,0", "HIP_VISIBLE_DEVICES": "0"}, [3]),
        ({"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "2"}, [1]),
        ({"HIP_VISIBLE_DEVICES": "", "CUDA_VISIBLE_DEVICES": "2"}, [2]),
        ({"CUDA_VISIBLE_DEVICES": "2"}, [2]),
        ({"ROCR_VISIBLE_DEVICES": ""}, []),
        ({"ROCR_VISIBLE_DEVICES": "1,9,2"}, [1]),
        ({"ROCR_VISIBLE_DEVICES": "1,1,2"}, [1]),
    ],
)
def test_rocm_filters_twice(environ: dict[str, str], expected: list[int]) -> None:
    assert indices(environ, AMD) == expected


def test_a_rocm_uuid_means_nothing_where_uuids_are_not_known() -> None:
    bare = tuple(found._replace(gpu_uuid=None) for found in AMD)
    assert indices({"ROCR_VISIBLE_DEVICES": "GPU-3a03-x"}, bare) == "gap ROCR_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", [0]), ("1,3", [1, 3]), ("1, 2,3", [1]), ("", []), ("x", []), ("0,9", [0]), ("3,1", "gap ASCEND_RT_VISIBLE_DEVICES")],
)
def test_ascend_ids_ascend_and_end_at_the_first_other_character(value: str, expected: list[int] | str) -> None:
    assert indices({"ASCEND_RT_VISIBLE_DEVICES": value}, ASCEND) == expected


@pytest.mark.parametrize(("vendor", "variable"), [("intel", "ZE_AFFINITY_MASK"), ("habana", "HABANA_VISIBLE_MODULES")])
def test_numbers_of_tiles_and_modules_are_not_those_of_gpus(vendor: str, variable: str) -> None:
    gpus = tuple(gpu(number, vendor) for number in range(2))
    assert (indices({}, gpus), indices({variable: "0"}, gpus)) == ([0, 1], f"gap {variable}")


def test_on_a_host_with_several_vendors_the_variable_tells_which() -> None:
    both = (gpu(0), gpu(1, "huawei"))
    assert (indices({"ASCEND_RT_VISIBLE_DEVICES": "0"}, both), indices({}, both)) == ([1], "gap")


def test_a_gpu_of_an_unknown_vendor_has_no_known_runtime() -> None:
    assert indices({"CUDA_VISIBLE_DEVICES": "0"}, (gpu(0)._replace(vendor=None),)) == "gap"
