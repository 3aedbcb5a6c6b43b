"""Where names are told, and where they are used: each kind of file that a bundle holds."""

import json
import re

import pytest

from numaaudit.bundle.pseudonym_texts import Texts
from numaaudit.bundle.pseudonyms import HOST, Pseudonyms

UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
ID = "3f9a17c2" * 8
GPU = "GPU-4f1c2d3e-0000-1111-2222-333344445555"


@pytest.fixture
def names():
    return Pseudonyms(b"sixteen bytes or more")


@pytest.fixture
def texts(names):
    return Texts(names)


def replace(texts, path, text):
    return texts.replace(path, text.encode()).decode()


def test_the_hostname_is_replaced_where_the_kernel_and_uname_tell_it(texts, names):
    host = names.name(HOST, "gpu-7")

    assert replace(texts, "root/proc/sys/kernel/hostname", "gpu-7\n") == host + "\n"
    assert (
        replace(texts, "commands/uname_-a.out", "Linux gpu-7 6.1.0 #1 SMP x86_64 GNU/Linux\n")
        == "Linux %s 6.1.0 #1 SMP x86_64 GNU/Linux\n" % host
    )


def test_a_control_group_is_replaced_in_each_hierarchy(texts):
    text = "12:cpuset:/acme/init\n5:cpu,cpuacct:/acme\n1:name=systemd:/\n0::/acme (deleted)\n"

    shape = r"12:cpuset:/(path-\w{10})/init\n5:cpu,cpuacct:/\1\n1:name=systemd:/\n0::/\1 \(deleted\)\n"
    assert re.fullmatch(shape, replace(texts, "root/proc/7/cgroup", text))


def test_mount_points_are_replaced_and_those_of_the_kernel_stay(texts):
    text = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nnone /mnt/acme-pages hugetlbfs rw,pagesize=1024M 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n"
    kept = replace(texts, "root/proc/mounts", text)

    assert re.fullmatch(
        r"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nnone /mnt/path-\w{10} hugetlbfs rw,pagesize=1024M 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n", kept
    )


def test_files_and_gpus_in_an_environment_are_replaced(texts):
    replace(texts, "commands/nvidia-smi_-L.out", "GPU 0: NVIDIA H100 (UUID: %s)\n" % GPU)
    kept = replace(texts, "root/proc/7/environ", "CUDA_VISIBLE_DEVICES=GPU-4f1c2d3e\0NCCL_TOPO_FILE=acme.xml\0LOCAL_RANK=3\0")

    assert re.fullmatch(r"CUDA_VISIBLE_DEVICES=GPU-[0-9a-f]{8}\0NCCL_TOPO_FILE=path-\w{10}\.xml\0LOCAL_RANK=3\0", kept)
    assert "4f1c2d3e" not in kept


def test_programs_of_packages_of_ones_own_are_replaced_in_numa_maps(texts):
    text = "7f00 default file=/opt/acme-llm/lib/libacme.so\\040(deleted) mapped=3 N0=3 kernelpagesize_kB=4\n"
    kept = replace(texts, "root/proc/7/numa_maps", text)

    assert re.fullmatch(r"7f00 default file=/opt/path-\w{10}/lib/libacme\.so\\040\(deleted\) mapped=3 N0=3 kernelpagesize_kB=4\n", kept)


def test_what_a_log_tells_of_hosts_accounts_and_paths_is_replaced(texts, names):
    text = (
        "gpu-7:4242:4301 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>\n"
        "connecting to tcp://gpu-9.acme.example:29500 as user=alice\n"
        "MASTER_ADDR=gpu-8 fe80::1a2b:3c4d:5e6f:7a8b 02:42:ac:11:00:02 driver 570.86.15\n"
        "loading /data/acme/model.safetensors on gpu-7 from 127.0.0.1\n"
    )
    replace(texts, "logs/run.log", text)
    names.settle()
    kept = replace(texts, "logs/run.log", text)

    assert not re.search(r"gpu-[0-9]|acme|alice|10\.0\.0\.7|fe80|02:42", kept)
    assert [line.count("host-") for line in kept.splitlines()] == [2, 1, 3, 1]
    assert "driver 570.86.15\n" in kept
    assert kept.endswith("from 127.0.0.1\n")


def test_names_told_elsewhere_are_replaced_once_all_are_known(texts, names):
    names.learn_host("gpu-7")
    names.settle()

    assert replace(texts, "logs/run.log", "on gpu-7.acme.example: ready\n") == "on %s: ready\n" % names.name(HOST, "gpu-7")
    assert replace(texts, "root/proc/7/task/9/comm", "gpu-7\n") == names.name(HOST, "gpu-7") + "\n"


def test_tables_of_tools_stay_whatever_the_host_is_called(texts, names):
    names.learn_host("Socket0")
    names.settle()

    assert replace(texts, "commands/lscpu.out", "Socket0: 1\n") == "Socket0: 1\n"


def test_the_kubelets_state_keeps_its_form(texts):
    document = {"policyName": "static", "defaultCpuSet": "0-1", "entries": {UID: {"acme": "2-3"}, ID: "4-5"}, "checksum": 7}
    kept = json.loads(replace(texts, "root/var/lib/kubelet/cpu_manager_state", json.dumps(document)))

    [(uid, containers), (container_id, cpus)] = kept["entries"].items()
    assert (kept["policyName"], kept["defaultCpuSet"], cpus, list(containers.values())) == ("static", "0-1", "4-5", ["2-3"])
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", uid)
    assert re.fullmatch(r"[0-9a-f]{64}", container_id)
    assert re.fullmatch(r"container-\w{10}", next(iter(containers)))
    assert uid != UID
    assert container_id != ID


def test_a_list_of_pods_keeps_what_they_ask_for_and_its_lines(texts):
    pod = {
        "kind": "Pod",
        "metadata": {"name": "acme-0", "namespace": "acme", "uid": UID, "labels": {"acme.example/team": "acme"}},
        "spec": {
            "nodeName": "gpu-7",
            "containers": [{"name": "acme-server", "image": "acme/llm", "resources": {"limits": {"cpu": "8", "nvidia.com/gpu": "1"}}}],
        },
        "status": {
            "qosClass": "Guaranteed",
            "hostIP": "10.0.0.7",
            "containerStatuses": [{"name": "acme-server", "containerID": "containerd://" + ID}],
        },
    }
    text = json.dumps({"apiVersion": "v1", "items": [pod], "kind": "List"}, indent=4) + "\n"
    kept = replace(texts, "commands/kubectl_get_pods_-A_-o_json.out", text)
    [item] = json.loads(kept)["items"]

    assert not re.search(r"acme|gpu-7|10\.0\.0\.7|8f2b1c00|3f9a17c2", kept)
    assert item["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "8", "nvidia.com/gpu": "1"}}
    assert item["status"]["qosClass"] == "Guaranteed"
    assert item["status"]["containerStatuses"][0]["name"] == item["spec"]["containers"][0]["name"]
    assert re.fullmatch(r"containerd://[0-9a-f]{64}", item["status"]["containerStatuses"][0]["containerID"])
    assert kept.startswith('{\n    "apiVersion": "v1",\n')


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"a": "\\ud800", "namespace": "acme"}', '{"a": 1e999, "n": ' + "9" * 5000 + "}"])
def test_what_is_no_document_is_a_text(texts, text):
    assert isinstance(replace(texts, "commands/kubectl_get_pods.out", text), str)


def test_bytes_that_are_no_text_pass(texts):
    assert texts.replace("logs/run.log", b"\xff\xfe /data/acme\xff\n").startswith(b"\xff\xfe /data/path-")


def test_a_list_of_slurms_hosts_still_says_which_they_are(texts, names):
    names.learn_host("gpu02.acme.example")
    names.settle()
    kept = replace(
        texts, "root/etc/slurm/gres.conf", "NodeName=gpu[01-02] Name=gpu File=/dev/nvidia[0-3] Cores=0-15\nNodeName=a[1-] Name=gpu\n"
    )

    own = names.name(HOST, "gpu02.acme.example")
    assert re.fullmatch(r"NodeName=host-\w{10},%s Name=gpu File=/dev/nvidia\[0-3\] Cores=0-15\nNodeName=host-\w{10} Name=gpu\n" % own, kept)


def test_what_containers_got_keeps_cpus_and_devices(texts):
    pod = {"name": "pod-of-ours", "namespace": "team", "containers": [{"name": "main-of-ours", "cpu_ids": [2, 3]}]}
    kept = replace(texts, "samples/pod-resources.json", '{"pod_resources": [\n%s\n]}\n' % json.dumps(pod))

    assert [word for word in ("of-ours", "team") if word in kept] == []
    assert '"cpu_ids"' in kept


def test_a_units_name_is_replaced_as_its_control_group_is(texts):
    show = "Slice=system.slice\nControlGroup=/system.slice/ours.service\nAllowedCPUs=0-3\nId=ours.service\n"
    slice_line, group, cpus, name = replace(texts, "commands/systemctl_show_ours.service.out", show).splitlines()

    assert (slice_line, cpus) == ("Slice=system.slice", "AllowedCPUs=0-3")
    assert group.rpartition("/")[2] == name.partition("=")[2] != "ours.service"


def test_of_a_process_the_name_is_replaced_and_the_kernels_words_stay(texts, names):
    names.learn_name("user", "nonvoluntary")
    names.settle()
    kept = replace(texts, "root/proc/7/status", "Name:\tnonvoluntary-run\nnonvoluntary_ctxt_switches:\t1\n")

    assert kept == "Name:\t%s-run\nnonvoluntary_ctxt_switches:\t1\n" % names.name("user", "nonvoluntary")


def test_a_resource_of_ones_own_domain_has_one_name_in_all_documents(texts, names):
    names.learn_host("gpu-7.acme.example")
    names.settle()
    limits = replace(texts, "commands/kubectl_get_pods.out", '{"limits": {"acme.example/gpu": "1", "cpu": "1"}}')
    given = replace(texts, "samples/pod-resources.json", '{"resource_name": "acme.example/gpu"}')

    assert [*json.loads(limits)["limits"]] == [json.loads(given)["resource_name"], "cpu"]
    assert "acme" not in limits + given


@pytest.mark.parametrize(
    ("path", "text", "kept"),
    [
        ("commands/numactl_--hardware.err", "cannot open /data/acme on gpu-7\n", r"cannot open /data/path-\w{10} on host-\w{10}\n"),
        (
            "commands/nvidia-smi_--query-compute-apps=pid,process_name.out",
            "gpu-7, name\n7, gpu-7-run\n",
            r"gpu-7, name\n7, host-\w{10}-run\n",
        ),
        ("commands/uname_-a.out", "Linux gpu-7 6.1.0-gpu-7 #1 SMP\n", r"Linux host-\w{10} 6\.1\.0-host-\w{10} #1 SMP\n"),
        ("root/proc/sys/kernel/osrelease", "6.1.0-gpu-7\n", r"6\.1\.0-host-\w{10}\n"),
    ],
)
def test_what_a_tool_says_of_a_failure_or_a_process_and_a_kernel_of_ones_own_is_replaced(texts, names, path, text, kept):
    names.learn_host("gpu-7")
    names.settle()

    assert re.fullmatch(kept, replace(texts, path, text))
