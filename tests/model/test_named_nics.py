"""NICs that an environment names."""

import pytest

from numaaudit.model.named_nics import named_nics
from numaaudit.model.nics import Nic

NICS = tuple(Nic(f"mlx5_{number}", f"ib{number}", None, 0, "sysfs") for number in (0, 1, 10))


def names(**environ):
    found = named_nics(environ, NICS)
    return found and (found.variable, [nic.name for nic in found.nics])


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"UCX_NET_DEVICES": "mlx5_1:1"}, ("UCX_NET_DEVICES", ["mlx5_1"])),
        ({"UCX_NET_DEVICES": "mlx5_0:1,ib10"}, ("UCX_NET_DEVICES", ["mlx5_0", "mlx5_10"])),
        ({"NCCL_IB_HCA": "mlx5_1"}, ("NCCL_IB_HCA", ["mlx5_1", "mlx5_10"])),
        ({"NCCL_IB_HCA": "=mlx5_1:1"}, ("NCCL_IB_HCA", ["mlx5_1"])),
        ({"NCCL_IB_HCA": "=mlx5_0", "UCX_NET_DEVICES": "mlx5_1:1"}, ("NCCL_IB_HCA", ["mlx5_0"])),
        ({"NVSHMEM_HCA_LIST": "mlx5_0:1"}, ("NVSHMEM_HCA_LIST", ["mlx5_0"])),
        ({"NCCL_IB_HCA": "^mlx5_1"}, None),
        ({"UCX_NET_DEVICES": "all"}, None),
        ({"UCX_NET_DEVICES": ""}, None),
        ({}, None),
    ],
)
def test_the_nics_a_variable_names(environ, expected):
    assert names(**environ) == expected
