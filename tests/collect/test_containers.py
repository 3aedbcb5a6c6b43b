import pytest

from numaaudit.collect.containers import container_ids, find_container
from numaaudit.core.errors import CollectError, NothingSelectedError, UsageError

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


CGROUPS = ["0::/docker/%s\n" % A, "0::/docker/%s\n" % B, "0::/\n"]


@pytest.mark.parametrize("typed", [A, A[:12], "a1a", "containerd://" + A])
def test_a_full_or_short_id_finds_it(typed):
    assert find_container(typed, CGROUPS) == A


def test_an_id_that_several_begin_with_is_not_guessed():
    with pytest.raises(CollectError, match="several containers begin with a1: a1a1a1a1a1a1, a1b2a1b2a1b2"):
        find_container("a1", CGROUPS)


def test_an_unknown_id_names_the_closest():
    with pytest.raises(NothingSelectedError) as caught:
        find_container("a1b3", CGROUPS)

    assert (str(caught.value), caught.value.hint) == ("no process is in container a1b3", "closest: a1b2a1b2a1b2, a1a1a1a1a1a1")


def test_on_a_host_without_containers_that_is_said():
    with pytest.raises(NothingSelectedError) as caught:
        find_container("a1", ["0::/user.slice\n"])

    assert caught.value.hint == "no process of this host is in a container"


@pytest.mark.parametrize("typed", ["web", "A1", "a1/b2", "", "a" * 65])
def test_a_name_is_no_id(typed):
    with pytest.raises(UsageError, match="not an id"):
        find_container(typed, CGROUPS)
