"""File descriptors of accelerators and RDMA devices; what else a process has open is nobody's business."""

import pytest

from numaaudit.collect.collectors.open_devices import COLLECTOR


@pytest.mark.parametrize(
    "target",
    [
        "/dev/nvidia0",
        "/dev/nvidiactl",
        "/dev/davinci3",
        "/dev/kfd",
        "/dev/dri/renderD128",
        "/dev/infiniband/uverbs0",
        "/dev/accel/accel0",
        "/dev/hl0",
    ],
)
def test_devices_are_kept(target):
    assert COLLECTOR.keep_target is not None
    assert COLLECTOR.keep_target(target)


@pytest.mark.parametrize(
    "target", ["/home/a/secret.txt", "/dev/pts/0", "socket:[1]", "pipe:[2]", "/dev/nvme0n1", "/tmp/dev/nvidia0", "anon_inode:[eventfd]"]
)
def test_everything_else_is_not(target):
    assert COLLECTOR.keep_target is not None
    assert not COLLECTOR.keep_target(target)
