"""Ids of containers and pods in cgroup paths."""

import pytest

from numaaudit.core.cgroup_ids import container_ids, pod_uids

A, B = "a1" * 32, "a1b2" * 16
POD = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b2c3d_0000_4000_8000_0123456789ab.slice"


@pytest.mark.parametrize(
    "path",
    [
        "/system.slice/docker-%s.scope",
        "/docker/%s",
        "/docker/%s/init.scope",
        "/default/%s",
        POD + "/cri-containerd-%s.scope",
        POD + "/crio-%s.scope/container",
        "/kubepods/burstable/pod0a1b2c3d-0000-4000-8000-0123456789ab/%s",
        "/system.slice/containerd.service/kubepods-pod1.slice:cri-containerd:%s",
        "/machine.slice/libpod-%s.scope/container",
        "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-%s.scope",
    ],
)
def test_every_runtime_writes_the_id_into_the_path(path):
    assert container_ids("0::%s\n" % (path % A)) == [A]


@pytest.mark.parametrize("path", ["/", POD + "/crio-conmon-%s.scope", "/machine.slice/libpod-conmon-%s.scope", "/build-%sff"])
def test_other_paths_are_of_no_container(path):
    assert container_ids("0::%s\n" % path.replace("%s", A)) == []


def test_a_path_that_every_hierarchy_repeats_names_the_container_once():
    assert container_ids("4:cpuset:/docker/%s\n0::/docker/%s\n" % (A, A)) == [A]


def test_in_a_container_inside_of_a_container_both_are_named():
    assert container_ids("0::/docker/%s/kubelet/kubepods/pod1/%s\n" % (A, B)) == [A, B]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (POD + "/cri-containerd-%s.scope" % A, ["0a1b2c3d_0000_4000_8000_0123456789ab"]),
        ("/kubepods/burstable/pod0a1b2c3d-0000-4000-8000-0123456789ab/%s" % A, ["0a1b2c3d-0000-4000-8000-0123456789ab"]),
        ("/kubepods/pod0a1b2c3d0000400080000123456789ab", ["0a1b2c3d0000400080000123456789ab"]),
        ("/user.slice/podman-123.scope", []),
    ],
)
def test_the_uid_of_a_pod_is_kept_as_it_is_written(path, expected):
    assert pod_uids(path) == expected
