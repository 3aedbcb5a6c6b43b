from numaaudit.collect.cgroups import Mounts, chain
from numaaudit.collect.host_files import host_tree

V2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n"
V1 = (
    "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
    "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
    "cgroup /sys/fs/cgroup/freezer cgroup rw,freezer 0 0\n"
)


def test_a_v2_chain_leads_from_the_process_to_the_root(make_root):
    tree = host_tree(make_root({"sys/fs/cgroup/kubepods.slice/pod1.slice/cri-1.scope/cpu.max": "max"}))

    assert chain(tree, Mounts.of(V2), "0::/kubepods.slice/pod1.slice/cri-1.scope\n") == [
        "sys/fs/cgroup/kubepods.slice/pod1.slice/cri-1.scope",
        "sys/fs/cgroup/kubepods.slice/pod1.slice",
        "sys/fs/cgroup/kubepods.slice",
        "sys/fs/cgroup",
    ]


def test_v1_hierarchies_have_a_chain_each_and_those_without_limits_have_none(make_root):
    tree = host_tree(make_root({"sys/fs/cgroup/cpuset/job/cpuset.cpus": "0", "sys/fs/cgroup/cpu,cpuacct/x": ""}))

    assert chain(tree, Mounts.of(V1), "9:freezer:/job\n4:cpuset:/job\n3:cpu,cpuacct:/\n") == [
        "sys/fs/cgroup/cpuset/job",
        "sys/fs/cgroup/cpuset",
        "sys/fs/cgroup/cpu,cpuacct",
    ]


def test_in_a_container_the_part_of_the_path_that_is_not_mounted_is_left_out(make_root):
    tree = host_tree(make_root({"sys/fs/cgroup/cpuset/cpuset.cpus": "0", "sys/fs/cgroup/cpuset/inner/cpuset.cpus": "0"}))

    assert chain(tree, Mounts.of(V1), "4:cpuset:/docker/4bc8/inner\n") == ["sys/fs/cgroup/cpuset/inner", "sys/fs/cgroup/cpuset"]


def test_a_colon_and_a_deleted_mark_in_the_path_are_read(make_root):
    tree = host_tree(make_root({"sys/fs/cgroup/a:b/cpu.max": "max"}))

    assert chain(tree, Mounts.of(V2), "0::/a:b (deleted)\n") == ["sys/fs/cgroup/a:b", "sys/fs/cgroup"]


def test_without_mounts_or_with_a_damaged_text_there_is_no_chain(make_root):
    tree = host_tree(make_root({"proc/mounts": ""}))

    assert [chain(tree, Mounts.of(""), "0::/a\n"), chain(tree, Mounts.of(V2), "nonsense\n"), chain(tree, Mounts.of(V2), "")] == [[], [], []]
