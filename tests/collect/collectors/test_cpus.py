"""Which CPU files are kept."""

from numaaudit.bundle.tree import Members, Tree
from numaaudit.collect.collectors.cpus import each_list_once

FOLDER = "sys/devices/system/cpu/cpu0/topology"


def test_an_old_name_is_left_out_beside_its_new_one():
    paths = [f"{FOLDER}/{name}" for name in ("core_id", "core_cpus_list", "thread_siblings_list", "core_siblings_list")]

    assert each_list_once(Tree(Members()), paths) == [f"{FOLDER}/{name}" for name in ("core_id", "core_cpus_list", "core_siblings_list")]
