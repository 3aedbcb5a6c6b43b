import pytest

from numaaudit.collect.host_files import host_tree
from numaaudit.collect.pod_list import ListedPod
from numaaudit.collect.pods import PodName, find_pod, pod_uids
from numaaudit.core.errors import CollectError, NothingSelectedError

UID, OTHER, STATIC = "0a1b2c3d-0000-4000-8000-0123456789ab", "ffffffff-0000-4000-8000-0123456789ab", "0123456789abcdef0123456789abcdef"


def slice_of(uid):
    return "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod%s.slice/cri-containerd-x.scope\n" % uid.replace("-", "_")


CGROUPS = [slice_of(UID), "0::/kubepods/burstable/pod%s/abc\n" % OTHER, "0::/\n"]
LOGS = {
    "var/log/pods/training_worker-0_%s/main/0.log" % UID: "",
    "var/log/pods/serving_router_%s/main/0.log" % OTHER: "",
}


def found(typed, tree, listed=(), cgroups=CGROUPS):
    return [(pod.uid, pod.title) for pod in find_pod(typed, tree, listed, cgroups)]


@pytest.mark.parametrize("path", ["/kubepods/pod%s/abc", "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod%s.slice/x.scope"])
def test_a_cgroup_path_has_the_uid(path):
    assert pod_uids("0::%s\n" % (path % UID.replace("-", "_"))) == {UID.replace("-", "")}


def test_a_static_pods_uid_has_no_dashes():
    assert pod_uids("0::/kubepods/pod%s/abc\n" % STATIC) == {STATIC}


@pytest.mark.parametrize("cgroup", ["", "0::/\n", "0::/libpod-0a1b2c3d\n", "0::/kubepods/pod%sff/x\n" % STATIC])
def test_other_paths_are_of_no_pod(cgroup):
    assert pod_uids(cgroup) == set()


@pytest.mark.parametrize("typed", ["worker-0", "training/worker-0", UID, UID.replace("-", "_")])
def test_the_kubelets_folder_of_logs_names_it(make_root, typed):
    assert found(typed, host_tree(make_root(LOGS))) == [(UID, "training/worker-0")]


@pytest.mark.parametrize(
    "text", ["# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n10.0.0.7\tworker-0\n", "10.0.0.7\tworker-0.gang.x\tworker-0\n"]
)
def test_without_logs_its_hosts_file_does(make_root, text):
    tree = host_tree(make_root({"var/lib/kubelet/pods/%s/etc-hosts" % UID: text}))

    assert found("any/worker-0", tree) == [(UID, "worker-0")]


def test_a_pod_on_the_hosts_own_network_has_no_name_in_its_hosts_file(make_root):
    text = "# Kubernetes-managed hosts file (host network).\n10.0.0.1\tgpu1\n"

    with pytest.raises(NothingSelectedError):
        find_pod("gpu1", host_tree(make_root({"var/lib/kubelet/pods/%s/etc-hosts" % UID: text})), (), CGROUPS)


def test_a_list_of_kubectl_names_it(make_root):
    listed = [ListedPod(UID, "a", "x", {}), ListedPod(OTHER, "b", "y", {})]

    assert found("b/y", host_tree(make_root({"etc/hostname": ""})), listed) == [(OTHER, "b/y")]


def test_a_uid_needs_no_name(make_root):
    assert found(OTHER, host_tree(make_root({"etc/hostname": ""}))) == [(OTHER.replace("-", ""), OTHER.replace("-", ""))]


def test_a_pod_that_followed_one_of_its_name_is_the_one_with_processes(make_root):
    logs = {**LOGS, "var/log/pods/training_worker-0_%s/main/0.log" % STATIC: ""}

    assert found("worker-0", host_tree(make_root(logs))) == [(UID, "training/worker-0")]


def test_a_name_in_two_namespaces_is_not_guessed(make_root):
    logs = {"var/log/pods/a_x_%s/m" % UID: "", "var/log/pods/b_x_%s/m" % OTHER: ""}

    with pytest.raises(CollectError, match="several pods are called x: a/x, b/x"):
        find_pod("x", host_tree(make_root(logs)), (), CGROUPS)


def test_an_unknown_name_names_the_closest(make_root):
    with pytest.raises(NothingSelectedError) as caught:
        find_pod("worker-1", host_tree(make_root(LOGS)), (), CGROUPS)

    assert str(caught.value) == "no pod of this host is called worker-1"
    assert caught.value.hint.startswith("closest: training/worker-0, serving/router; names come from ")


def test_a_pod_whose_processes_are_elsewhere_is_known_and_not_here(make_root):
    listed = [ListedPod(STATIC, "a", "x", {})]

    with pytest.raises(NothingSelectedError, match=r"no process of this host is in pod x \(%s\)" % STATIC):
        find_pod("x", host_tree(make_root(LOGS)), listed, CGROUPS)


def test_without_pods_that_is_said(make_root):
    with pytest.raises(NothingSelectedError) as caught:
        find_pod("x", host_tree(make_root(LOGS)), (), ["0::/\n"])

    assert caught.value.hint == "no process of this host is in a pod"


def test_a_title_has_the_namespace_where_it_is_known():
    assert (PodName("u", "a", "x").title, PodName("u", None, "x").title) == ("a/x", "x")
