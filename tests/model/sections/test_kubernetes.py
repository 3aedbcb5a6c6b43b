from numaaudit.model.sections.kubernetes import Kubernetes

CPUS = '{"policyName":"static","defaultCpuSet":"0-3","entries":{"uid-1":{"app":"4-7"}},"checksum":1}\n'
MEMORY = '{"policyName":"Static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{},"cells":[0]}},"entries":{},"checksum":2}\n'
DEVICES = (
    '{"Data":{"PodDeviceEntries":[{"PodUID":"uid-1","ContainerName":"app","ResourceName":"nvidia.com/gpu","DeviceIDs":{"1":["GPU-a"]},'
    '"AllocResp":""}],"RegisteredDevices":{"nvidia.com/gpu":["GPU-a","GPU-b"]}},"Checksum":3}\n'
)
CONFIG = "apiVersion: kubelet.config.k8s.io/v1beta1\ncpuManagerPolicy: static\nkind: KubeletConfiguration\n"


def shown(found):
    cpus, memory, devices, config = found
    return (
        [(each.pod_uid, each.container, str(each.cpus)) for each in cpus.record.assignments],
        memory.record.policy,
        [(each.container, each.ids_by_node) for each in devices.record.devices],
        config.record.cpu_manager_policy,
    )


EXPECTED = ([("uid-1", "app", "4-7")], "Static", [("app", ((1, ("GPU-a",)),))], "static")


def test_the_kubelets_files_are_found_by_path(build):
    folder = "root/var/lib/kubelet"
    files = {"cpu_manager_state": CPUS, "memory_manager_state": MEMORY, "device-plugins/kubelet_internal_checkpoint": DEVICES}
    entries = {f"{folder}/{name}": text for name, text in files.items()} | {f"{folder}/config.yaml": CONFIG}

    assert shown(build(entries).section(Kubernetes)) == EXPECTED


def test_pasted_they_are_found_by_content(build):
    found = build({"pasted/paste.txt": f"$ cat state\n{CPUS}{MEMORY}$ cat checkpoint\n{DEVICES}root@host:~# cat config\n{CONFIG}"})

    assert shown(found.section(Kubernetes)) == EXPECTED
    assert [gap for gap in found.gaps if gap.kind == "unrecognised"] == []


def test_a_host_without_a_kubelet_has_none_of_them(build):
    assert not build({}).section(Kubernetes)
