"""The units of processes, by their cgroup paths."""

import pytest

from numaaudit.collect.collectors.systemd_units import COLLECTOR, units_of_processes
from numaaudit.collect.host_files import host_tree

ID = "ab" * 32


@pytest.mark.parametrize(
    ("cgroup", "units"),
    [
        ("0::/system.slice/vllm.service\n", ["system.slice", "vllm.service"]),
        ("0::/system.slice/vllm.service/worker/0\n", ["system.slice", "vllm.service"]),
        ("4:cpuset:/\n1:name=systemd:/system.slice/vllm@1.service\n", ["system.slice", "vllm@1.service"]),
        (
            "0::/user.slice/user-0.slice/user@0.service/app.slice/a.scope\n",
            ["user.slice", "user-0.slice", "user@0.service"],
        ),
        (
            f"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{ID}.scope\n",
            ["kubepods.slice", "kubepods-pod1.slice", f"cri-containerd-{ID}.scope"],
        ),
        ("0::/system.slice/dev\\x2dx.service\n", ["system.slice", "dev\\x2dx.service"]),
        ("0::/\n", []),
        ("0::/docker/abc\n", []),
        ("0::/--help.service\n", []),
        ("0::/a b.service\n", []),
        ("damaged", []),
    ],
)
def test_slices_and_the_first_service_or_scope(make_root, cgroup, units):
    assert list(units_of_processes(host_tree(make_root({"proc/7/cgroup": cgroup})), [7])) == units


def test_units_of_several_processes_are_asked_about_once(make_root):
    tree = host_tree(make_root({"proc/7/cgroup": "0::/system.slice/a.service\n", "proc/8/cgroup": "0::/system.slice/b.service\n"}))

    assert [argv[-1] for argv in COLLECTOR.argvs(tree, [7, 8, 9])] == ["system.slice", "a.service", "b.service"]


def test_without_a_process_nothing_is_run(make_root):
    assert COLLECTOR.argvs(host_tree(make_root({"proc/7/cgroup": "0::/system.slice/a.service\n"})), []) == ()
