"""Last-level caches and books."""

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.cpu_groups import CpuGroups

CPU = "root/sys/devices/system/cpu"


def cache(cpu, index, level, shared, kind="Unified"):
    folder = f"{CPU}/cpu{cpu}/cache/index{index}"
    return {f"{folder}/level": f"{level}\n", f"{folder}/shared_cpu_list": f"{shared}\n", f"{folder}/type": f"{kind}\n"}


def test_the_highest_level_counts_whatever_its_index(build):
    entries = {**cache(0, 0, 1, "0"), **cache(0, 2, 3, "0-1"), **cache(1, 2, 3, "0-1"), **cache(2, 2, 3, "2-3")}

    assert (CpuSet((0, 1)), CpuSet((2, 3))) == build(entries).section(CpuGroups).last_level_caches


def test_a_cache_of_instructions_is_none(build):
    assert (CpuSet((0,)),) == build({**cache(0, 0, 1, "0"), **cache(0, 1, 2, "0-7", "Instruction")}).section(CpuGroups).last_level_caches


def test_books_come_from_the_kernel(build):
    entries = {f"{CPU}/cpu{cpu}/topology/book_id": f"{book}\n" for cpu, book in enumerate((1, 0, 1))}

    assert (CpuSet((1,)), CpuSet((0, 2))) == build(entries).section(CpuGroups).books


def test_books_come_from_lscpu_where_the_kernels_files_are_not_there(build):
    table = "CPU NODE DRAWER BOOK SOCKET CORE ONLINE\n  0    0      0    0      0    0    yes\n  1    0      0    1      1    1    yes\n"

    assert (CpuSet((0,)), CpuSet((1,))) == build({"commands/lscpu_-e.out": table}).section(CpuGroups).books


def test_nothing_is_known_of_an_empty_tree(build):
    assert CpuGroups((), ()) == build({}).section(CpuGroups)
