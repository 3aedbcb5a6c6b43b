from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.sections.cgroups import Cgroups, ancestors

MOUNT = "root/sys/fs/cgroup"


def cgroups(build, entries, cgroup="0::/a/b\n"):
    return build({"root/proc/7/cgroup": cgroup} | entries).section(Cgroups)


def test_the_nearest_group_that_says_so_limits_a_process(build):
    found = cgroups(build, {f"{MOUNT}/a/cpuset.cpus.effective": "0-3", f"{MOUNT}/cpuset.cpus.effective": "0-7"})

    assert [group.path for group in found.chain(7)] == ["/a", "/"]
    assert (found.effective_cpus(7), found.effective_mems(7)) == (CpuSet.parse("0-3"), None)


def test_a_requested_set_is_apart_from_what_is_in_force(build):
    files = {"cpuset.cpus": "0-7", "cpuset.cpus.effective": "0-3", "cpuset.mems": "\n", "cpuset.mems.effective": "0-1"}
    [group] = cgroups(build, {f"{MOUNT}/a/b/{name}": text for name, text in files.items()}).chain(7)

    assert (group.cpus, group.effective_cpus) == (CpuSet.parse("0-7"), CpuSet.parse("0-3"))
    assert (group.mems, group.effective_mems) == (None, NodeSet([0, 1]))
    assert [line.path for line in group.evidence + group.memory_evidence] == [
        f"{MOUNT}/a/b/cpuset.cpus.effective",
        f"{MOUNT}/a/b/cpuset.mems.effective",
    ]


def test_version_1_has_a_hierarchy_of_its_own_for_cpusets(build):
    found = cgroups(build, {f"{MOUNT}/cpuset/c/cpuset.effective_cpus": "4-5"}, "3:cpuset:/c\n2:cpu:/d\n")

    assert found.effective_cpus(7) == CpuSet.parse("4-5")


def test_the_layer_that_took_something_away_is_the_one_nearest_the_root(build):
    entries = {f"{MOUNT}{path}/cpuset.cpus.effective": cpus for path, cpus in (("", "0-7"), ("/a", "0-3"), ("/a/b", "0-3"))}
    found = cgroups(build, entries)

    assert found.first_without(7, lambda group: 5 not in group.effective_cpus).path == "/a"
    assert found.first_without(7, lambda group: 0 not in group.effective_cpus) is None


def test_a_process_without_a_group_has_no_chain(build):
    assert cgroups(build, {}).chain(8) == ()


def test_the_owner_of_a_group_shows_in_its_path(build):
    found = cgroups(build, {f"{MOUNT}/kubepods/x/cpuset.cpus.effective": "0"}, "0::/kubepods/x\n")

    assert [group.owner for group in found.chain(7)] == ["kubelet"]
    assert ancestors("/a/b") == ["/a/b", "/a", "/"]
