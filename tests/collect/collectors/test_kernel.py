"""The kernel and its pressure."""

from numaaudit.collect.collectors.kernel import COLLECTOR

FILES = {
    "proc/version": "Linux version 6.1.0\n",
    "proc/cpuinfo": "processor\t: 0\n",
    "proc/pressure/cpu": "some avg10=0.00\n",
    "proc/sys/kernel/hostname": "gpu-host\n",
    "proc/kallsyms": "0 t secret\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "proc/version": "Linux version 6.1.0\n",
        "proc/cpuinfo": "processor\t: 0\n",
        "proc/pressure/cpu": "some avg10=0.00\n",
        "proc/sys/kernel/hostname": "gpu-host\n",
    }
