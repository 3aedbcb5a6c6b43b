import pytest

from numaaudit.collect.devices import is_accelerator, is_accelerator_or_rdma, is_drm_client


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("/dev/nvidia0", (True, True, False)),
        ("/dev/nvidia12", (True, True, False)),
        ("/dev/nvidiactl", (False, True, False)),
        ("/dev/nvidia-uvm", (False, True, False)),
        ("/dev/davinci3", (True, True, False)),
        ("/dev/davinci_manager", (False, True, False)),
        ("/dev/kfd", (True, True, False)),
        ("/dev/dri/renderD128", (True, True, True)),
        ("/dev/accel/accel0", (True, True, True)),
        ("/dev/hl0", (True, True, False)),
        ("/dev/infiniband/uverbs0", (False, True, False)),
        ("/dev/null", (False, False, False)),
        ("/home/someone/dev/nvidia0", (False, False, False)),
        ("/dev/nvidia0 (deleted)", (False, True, False)),
        ("socket:[12]", (False, False, False)),
    ],
)
def test_which_open_files_tell_of_a_device(target, kinds):
    assert (is_accelerator(target), is_accelerator_or_rdma(target), is_drm_client(target)) == kinds
