"""RDMA devices, their ports and functions; no addresses."""

from numaaudit.collect.collectors.rdma_devices import COLLECTOR

FILES = {
    "sys/class/infiniband/mlx5_0": "@../../devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0",
    "sys/devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0/hca_type": "MT4129\n",
    "sys/devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
    "sys/devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0/node_guid": "1:2:3:4\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "sys/class/infiniband/mlx5_0": "../../devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0",
        "sys/devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0/hca_type": "MT4129\n",
        "sys/devices/pci0000:16/0000:18:00.0/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
    }
