"""What moves memory."""

from numaaudit.collect.collectors.memory_settings import COLLECTOR

FILES = {
    "proc/sys/kernel/numa_balancing": "1\n",
    "proc/sys/vm/zone_reclaim_mode": "0\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "proc/sys/vm/drop_caches": "0\n",
}


def test_keeps_this_and_no_more(kept):
    assert kept(COLLECTOR, FILES) == {
        "proc/sys/kernel/numa_balancing": "1\n",
        "proc/sys/vm/zone_reclaim_mode": "0\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    }
