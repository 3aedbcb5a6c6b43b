"""Which caches are kept."""

from numaaudit.bundle.tree import Members, Tree
from numaaudit.collect.collectors.last_level_caches import of_level_3

FOLDER = "sys/devices/system/cpu/cpu0/cache"


def test_only_caches_of_level_3_whatever_their_index():
    members = Members()
    for index, level in enumerate((1, 1, 3)):
        members.add_bytes(f"root/{FOLDER}/index{index}/level", b"%d\n" % level)
    paths = [f"{FOLDER}/index{index}/{name}" for index in range(3) for name in ("level", "shared_cpu_list")]

    assert of_level_3(Tree(members), paths) == [f"{FOLDER}/index2/level", f"{FOLDER}/index2/shared_cpu_list"]
