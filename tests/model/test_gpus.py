"""Sightings of GPUs become GPUs."""

from numaaudit.core.pci import PciAddress
from numaaudit.model.gpus import Gpu, Mig, Sighting, address_in, merged

ONE, TWO = PciAddress(0, 0x1B, 0, 0), PciAddress(0, 0x2C, 0, 0)


def shown(gpus):
    return [(gpu.name, gpu.index, gpu.gpu_uuid) for gpu in gpus]


def test_sightings_that_share_an_address_a_uuid_or_an_index_are_one_gpu():
    found = merged(
        [
            Sighting(ONE, vendor="nvidia"),
            Sighting(ONE, "GPU-a", gpu_minor=0, vendor="nvidia"),
            Sighting(None, "GPU-a", 3, model="A"),
            Sighting(index=3, vendor="nvidia", gpu_memory_node=4),
        ]
    )

    assert found == [Gpu("nvidia", ONE, 3, 0, "GPU-a", "A", gpu_memory_node=4)]


def test_a_number_of_zero_is_known_and_stays():
    [found] = merged([Sighting(ONE, index=0, vendor="nvidia"), Sighting(ONE, index=5, vendor="nvidia")])

    assert found.index == 0


def test_equal_indices_of_different_vendors_are_two_gpus():
    assert shown(merged([Sighting(index=0, vendor="nvidia"), Sighting(index=0, vendor="amd")])) == [("#0", 0, None), ("#0", 0, None)]


def test_nvml_and_rocm_smi_count_in_order_of_address():
    found = merged([*(Sighting(address, vendor="amd") for address in (TWO, ONE)), *(Sighting(index=i, vendor="amd") for i in (0, 1))])

    assert shown(found) == [("0000:1b:00.0", 0, None), ("0000:2c:00.0", 1, None)]


def test_numbers_and_addresses_of_different_count_stay_apart():
    found = merged([Sighting(ONE, vendor="nvidia"), Sighting(index=0, vendor="nvidia"), Sighting(index=1, vendor="nvidia")])

    assert shown(found) == [("0000:1b:00.0", None, None), ("#0", 0, None), ("#1", 1, None)]


def test_nothing_ties_an_npus_number_to_an_address():
    found = merged([Sighting(ONE, vendor="huawei"), Sighting(index=0, vendor="huawei")])

    assert shown(found) == [("0000:1b:00.0", None, None), ("#0", 0, None)]


def test_parts_of_a_gpu_are_kept_with_it():
    mig = (Mig("1g.10gb", 0, "MIG-1"),)

    assert merged([Sighting(index=0, gpu_uuid="GPU-a", vendor="nvidia", mig=mig)])[0].mig == mig


def test_the_last_address_of_a_path_is_the_function_itself():
    assert address_in("../../../devices/pci0000:16/0000:16:01.0/0000:17:00.0/drm") == PciAddress(0, 0x17, 0, 0)
    assert address_in("virtual/net/lo") is None


def test_over_restarts_a_gpu_is_its_uuid_as_far_as_that_is_known():
    [named, nameless] = merged([Sighting(gpu_uuid="GPU-1", index=0), Sighting(index=1)])

    assert (named.canonical, nameless.canonical) == ("gpu:GPU-1", "gpu:#1")
