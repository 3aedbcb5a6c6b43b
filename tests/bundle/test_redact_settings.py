"""Settings and state of schedulers, and the kernel's log: only what is listed stays."""

import json

import pytest

from numaaudit.bundle.redact import redact

KUBELET = """# planted
kind: KubeletConfiguration
authentication:
  x509:
    clientCAFile: /etc/planted
cpuManagerPolicy: static
cpuManagerPolicyOptions:
  full-pcpus-only: "true"
staticPodURLHeader:
  Authorization: ["planted"]
reservedMemory:
- numaNode: 0
  limits: {memory: 1Gi}
"""
KEPT_OF_KUBELET = """
kind: KubeletConfiguration



cpuManagerPolicy: static
cpuManagerPolicyOptions:
  full-pcpus-only: "true"


reservedMemory:
- numaNode: 0
  limits: {memory: 1Gi}
"""
SLURM = """SlurmctldHost=planted(10.0.0.1)
TaskPlugin=task/cgroup,task/affinity # planted
AccountingStoragePass=planted
NodeName=planted CPUs=64 Gres=gpu:8
ConstrainCores=yes
"""
GRES = "NodeName=gpu[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-15 Secret=planted # planted\n#planted\nName=x File=$(planted)\n"
LOG = """[ 0.0] Command line: planted
[ 0.1] Hypervisor detected: KVM
[ 9.1] NVRM: Xid (PCI:0000:17:00): 79, pid=7, name=python3, GPU has fallen off the bus.
[ 9.2] pcieport 0000:16:01.0: AER: Corrected error received: 0000:17:00.0
[ 9.3] nvidia 0000:17:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
[ 9.4] audit: cwd="/home/planted"
"""
CHECKPOINT = '{"Data":{"PodDeviceEntries":[{"PodUID":"u","AllocResp":"cGxhbnRlZA==","DeviceIDs":{"0":["GPU-1"]}}]},"Checksum":1}'


@pytest.mark.parametrize(
    ("path", "text", "kept"),
    [
        (
            "root/var/lib/kubelet/config.yaml",
            KUBELET,
            KEPT_OF_KUBELET,
        ),
        ("root/etc/slurm/slurm.conf", SLURM, "\nTaskPlugin=task/cgroup,task/affinity\n\n\nConstrainCores=yes\n"),
        (
            "root/run/slurm/conf/gres.conf",
            GRES,
            "NodeName=gpu[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-15\n\nName=x\n",
        ),
        ("commands/dmesg.out", LOG, "\n" + "\n".join(LOG.split("\n")[1:5]) + "\n\n"),
        (
            "root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",
            CHECKPOINT,
            CHECKPOINT.replace("cGxhbnRlZA==", "[redacted]"),
        ),
    ],
)
def test_listed_lines_stay_where_they_are(path, text, kept):
    assert redact(path, text.encode()).decode() == kept
    assert redact(path, kept.encode()).decode() == kept
    assert "planted" not in kept


def test_a_kubelets_configuration_in_json_keeps_listed_members():
    text = json.dumps({"kind": "KubeletConfiguration", "cpuManagerPolicy": "static", "staticPodURL": "planted"})

    kept = redact("root/var/lib/kubelet/config.yaml", text.encode())
    assert json.loads(kept) == {"kind": "KubeletConfiguration", "cpuManagerPolicy": "static"}


@pytest.mark.parametrize("text", ["{", '{"a": planted}', "[" * 100_000, "{" * 100_000])
def test_json_that_is_none_is_not_kept(text):
    assert b"planted" not in redact("root/var/lib/kubelet/config.yaml", text.encode())


def test_what_went_is_counted_by_line():
    counts = {}
    redact("commands/dmesg.out", LOG.encode(), counts)

    assert counts == {"line of the kernel's log": 2}
