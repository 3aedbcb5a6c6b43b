"""Open MPI 5: blocks over packages."""

from numaaudit.core.cpuset import CpuSet


def test_release_5_0_gives_every_rank_a_core(predict, two_packages, cpus):
    assert ["0,8", "1,9", "2,10", "3,11"] == cpus(predict("openmpi", two_packages))


def test_the_development_line_gives_more_than_two_ranks_a_package(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2 == cpus(predict("openmpi", two_packages, release="main"))
    assert ["0,8", "1,9"] == cpus(predict("openmpi", two_packages, release="main", ranks=2))


def test_a_core_each_inside_the_package_mapped_by(predict, two_packages, cpus):
    assert ["0,8", "1,9", "4,12", "5,13"] == cpus(predict("openmpi", two_packages, map_by="package", bind_to="core"))
    assert ["0", "1", "4", "5"] == cpus(predict("openmpi", two_packages, map_by="package", bind_to="hwthread"))


def test_without_map_by_it_maps_by_what_is_bound_to(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2 == cpus(predict("openmpi", two_packages, bind_to="package"))


def test_the_first_packages_take_one_more(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 2 + ["4-7,12-15"] == cpus(predict("openmpi", two_packages, ranks=3, map_by="package"))


def test_caches_and_numa_nodes_are_objects_too(predict, two_packages, cpus):
    pairs = two_packages._replace(caches=tuple(CpuSet((core, core + 1, core + 8, core + 9)) for core in (0, 2, 4, 6)))

    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(predict("openmpi", pairs, map_by="l3cache"))
    assert ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2 == cpus(predict("openmpi", pairs, map_by="numa"))


def test_what_is_bound_to_may_not_lie_above_what_is_mapped_by(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("openmpi", two_packages, map_by="numa", bind_to="package"))


def test_more_ranks_than_cores_find_no_slots_and_oversubscribed_are_not_bound(predict, two_packages, cpus):
    assert ["refused"] * 9 == cpus(predict("openmpi", two_packages, ranks=9))
    assert ["as before"] * 9 == cpus(predict("openmpi", two_packages, ranks=9, oversubscribe="yes"))


def test_bind_to_none_binds_nothing(predict, two_packages, cpus):
    assert ["as before"] * 4 == cpus(predict("openmpi", two_packages, bind_to="none"))


def test_objects_are_cut_to_the_cpuset(predict, two_packages, cpus):
    assert ["0-3"] * 4 == cpus(predict("openmpi", two_packages, "cpuset=0-3", map_by="package"))
