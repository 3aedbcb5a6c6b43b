"""What NVIDIA's driver shows without its runtime."""

from numaaudit.collect.collectors.nvidia_driver import COLLECTOR

FILES = {
    "proc/driver/nvidia/version": "NVRM version: x\n",
    "proc/driver/nvidia/gpus/0000:1b:00.0/information": "Device Minor: \t 0\n",
    "proc/driver/nvidia/gpus/0000:1b:00.0/registry": 'Binary: ""\n',
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "proc/driver/nvidia/version": "NVRM version: x\n",
        "proc/driver/nvidia/gpus/0000:1b:00.0/information": "Device Minor: \t 0\n",
    }
