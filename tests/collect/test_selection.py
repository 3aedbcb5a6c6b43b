import os
import subprocess
import sys
import time

import pytest

from numaaudit.collect.options import CollectOptions
from numaaudit.collect.selection import select
from numaaudit.core.errors import CollectError, UsageError


def process(pid, ppid, command, cgroup="0::/\n", devices=(), size="100"):
    return {
        "proc/%d/stat" % pid: "%d (%s) S %d 7 7 0 -1 4194304 0 0 0 0 5 6 0 0 20 0 1 0 100 0 0 0\n" % (pid, command.split()[0], ppid),
        "proc/%d/cmdline" % pid: command.replace(" ", "\0") + "\0",
        "proc/%d/cgroup" % pid: cgroup,
        "proc/%d/statm" % pid: size + " 20 10 1 0 5 0\n",
        "proc/%d/fd/0" % pid: "@/dev/null",
        **{"proc/%d/fd/%d" % (pid, number): "@" + device for number, device in enumerate(devices, 3)},
    }


POD = "0::/kubepods.slice/pod1\n"
HOST = {
    **process(1, 0, "init"),
    **process(2, 0, "kthreadd", size="0"),
    **process(10, 1, "vllm serve", POD),
    **process(11, 10, "python worker", POD, ["/dev/nvidia0", "/dev/nvidiactl"]),
    **process(12, 1, "sidecar", POD, ["/dev/nvidia1"]),
    **process(13, 1, "logger", POD),
    **process(20, 1, "trainer", "0::/other\n", ["/dev/nvidia2", "/dev/nvidia3"]),
    **process(30, 1, "rdma_server", "0::/other\n", ["/dev/infiniband/uverbs0"]),
    "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n",
}


def selected(root, **options):
    return dict(select(CollectOptions(root=root, **options), time.monotonic() + 20, lambda: False).reasons)


def test_by_default_those_that_hold_an_accelerator_are_selected(make_root):
    assert selected(make_root(HOST)) == {11: "holds /dev/nvidia0", 12: "holds /dev/nvidia1", 20: "holds /dev/nvidia2, /dev/nvidia3"}


def test_match_takes_descendants_and_the_holders_of_accelerators_in_the_cgroup(make_root):
    assert selected(make_root(HOST), match="vllm ser+ve") == {
        10: "matches vllm ser+ve",
        11: "descends from 10",
        12: "holds /dev/nvidia1 in the cgroup of 10",
    }


def test_the_root_cgroup_is_nobodys_own(make_root):
    holder = process(40, 1, "other", "0::/\n", ["/dev/nvidia5"])

    assert selected(make_root({**HOST, **process(41, 1, "bench", "0::/\n"), **holder}), match="bench") == {41: "matches bench"}


@pytest.mark.parametrize("cgroup", ["/kubepods.slice", "/kubepods.slice/pod1", "/sys/fs/cgroup/kubepods.slice/pod1/"])
def test_cgroup_takes_all_of_it_and_below(make_root, cgroup):
    assert sorted(selected(make_root(HOST), cgroup=cgroup)) == [10, 11, 12, 13]


def test_a_kernel_thread_is_in_the_root_cgroup_and_is_nobodys_process(make_root):
    assert sorted(selected(make_root(HOST), cgroup="/")) == [1, 10, 11, 12, 13, 20, 30]


def test_a_cgroup_whose_name_only_begins_alike_is_another(make_root):
    with pytest.raises(CollectError, match="no process is in cgroup /kube"):
        selected(make_root(HOST), cgroup="/kube")


def test_all_leaves_out_what_has_no_memory(make_root):
    assert sorted(selected(make_root(HOST), all_processes=True)) == [1, 10, 11, 12, 13, 20, 30]


def test_choices_add_up_and_the_first_reason_counts(make_root):
    assert selected(make_root(HOST), pids=(13, 12), gpu_procs=True) == {
        11: "holds /dev/nvidia0",
        12: "named by --pid",
        13: "named by --pid",
        20: "holds /dev/nvidia2, /dev/nvidia3",
    }


def test_host_only_selects_nothing(make_root):
    assert selected(make_root(HOST), host_only=True) == {}


def test_nothing_selected_names_the_closest_holders(make_root):
    with pytest.raises(CollectError) as caught:
        selected(make_root(HOST), match="trainers")

    assert str(caught.value) == "no process matches trainers"
    assert caught.value.hint == "closest: --pid 20 (trainer), --pid 11 (python), --pid 12 (sidecar); to collect only the host: --host-only"


def test_nothing_selected_on_a_host_without_accelerators_says_so(make_root):
    with pytest.raises(CollectError) as caught:
        selected(make_root(process(1, 0, "init")))

    assert caught.value.hint == "none of 1 processes holds an accelerator device; to collect only the host: --host-only"


def test_a_pid_that_does_not_exist_is_an_error_and_beside_others_is_not(make_root):
    root = make_root(HOST)

    with pytest.raises(CollectError, match="no such process: 99"):
        selected(root, pids=(99,))
    assert selected(root, pids=(99, 13)) == {13: "named by --pid", 99: "named by --pid"}


@pytest.mark.parametrize("options", [{"match": "("}, {"host_only": True, "pids": (1,)}, {"host_only": True, "match": "x"}])
def test_options_that_make_no_sense_are_a_usage_error(make_root, options):
    with pytest.raises(UsageError):
        selected(make_root(HOST), **options)


def test_on_a_live_host_neither_we_nor_our_ancestors_match(sleeper):
    found = selected("/", match="python|pytest|sh")

    assert [pid in found for pid in (sleeper.pid, os.getpid(), os.getppid())] == [True, False, False]


def test_on_a_live_host_a_stranger_matches():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "a-stranger-here"]) as stranger:
        found = selected("/", match="a-str[a]nger-here")
        stranger.kill()

    assert found == {stranger.pid: "matches a-str[a]nger-here"}


CONTAINER, UID = "ab" * 32, "0a1b2c3d-0000-4000-8000-0123456789ab"
IN_POD = "0::/kubepods.slice/kubepods-pod%s.slice/cri-containerd-%s.scope\n" % (UID.replace("-", "_"), CONTAINER)
WITH_PODS = {
    **HOST,
    **process(50, 1, "python serve.py", IN_POD),
    **process(51, 50, "python worker.py", IN_POD.rstrip() + "/inner\n"),
    **process(52, 1, "crio-conmon", "0::/kubepods.slice/crio-conmon-%s.scope\n" % CONTAINER),
    "var/log/pods/serving_router-0_%s/main/0.log" % UID: "",
}


def test_a_container_takes_all_of_it_and_below_but_not_its_monitor(make_root):
    why = "is in container abababababab"

    assert selected(make_root(WITH_PODS), container="ababab") == {50: why, 51: why}


@pytest.mark.parametrize("name", ["router-0", "serving/router-0", UID])
def test_a_pod_takes_the_processes_of_its_containers(make_root, name):
    assert sorted(selected(make_root(WITH_PODS), pod=name)) == [50, 51]


def test_a_pod_can_be_named_by_a_list_of_kubectls(make_root, tmp_path):
    (tmp_path / "pods.json").write_text('{"items": [{"metadata": {"name": "r", "namespace": "s", "uid": "%s"}, "spec": {}}]}' % UID)
    root = make_root({path: text for path, text in WITH_PODS.items() if not path.startswith("var/")})

    why = "is in pod s/r"
    assert selected(root, pod="s/r", kubectl_pods=str(tmp_path / "pods.json")) == {50: why, 51: why}


def test_a_container_and_a_holder_of_accelerators_add_up(make_root):
    assert sorted(selected(make_root(WITH_PODS), container=CONTAINER, gpu_procs=True)) == [11, 12, 20, 50, 51]


@pytest.mark.parametrize("options", [{"container": "ff"}, {"pod": "nobody"}])
def test_an_unknown_group_is_an_error(make_root, options):
    with pytest.raises(CollectError):
        selected(make_root(WITH_PODS), **options)


def test_a_recorded_root_is_in_no_job_of_ours(make_root, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "7")

    assert sorted(selected(make_root(HOST))) == [11, 12, 20]
