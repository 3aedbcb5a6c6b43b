"""Words that are nobody's name: parts of paths that every host has, and words that mean something to those who read a bundle."""

from __future__ import annotations

from typing import FrozenSet

from numaaudit.bundle.redact_lists import STARTERS, SUBCOMMANDS


def _words(text: str) -> FrozenSet[str]:
    return frozenset(text.split())


# Not replaced in texts, also where a host, a user or a container is called so: log lines and tables are made of them.
COMMON_WORDS = STARTERS | SUBCOMMANDS | _words("""
    localhost localdomain host user pod container path gpu gpus cpu cpus core cores numa socket sockets rank ranks local global main
    master head worker workers server client engine model models inference infer train training trainer job jobs task tasks step app
    application service serving api data default none all auto true false yes no on off info debug warning warn error errors fatal
    trace log logs python python3 vllm sglang ray torch nccl rccl cuda rocm hip nvidia amd intel ascend npu tensorrt triton trtllm
    megatron slurm kubernetes kubelet docker containerd podman crio systemd root nobody daemon bin sys system admin ubuntu debian
    centos rocky ec2-user cloud-user opc linux kernel bind binding bound memory thread threads process processes device devices id
    index pid tid mask affinity policy prefer preferred interleave strict membind physcpubind cpunodebind start started starting
    done exit size world with without from node nodes unknown null set get using use used total free available online offline
    present possible version driver name names the and for not test dev prod list allowed num max min total size type state status
    level group switches nvidia.com amd.com intel.com huawei.com k8s.io kubernetes.io""")  # fmt: skip

# Parts of paths and control groups that tell nothing of whose they are.
COMMON_PARTS = _words("""
    . .. - run tmp var lib lib64 mnt srv opt home data etc usr local share bin sbin dev proc sys user lock shm hugepages mqueue root
    device-plugins pod-resources cgroup cgroups fs unified systemd cpuset cpu cpuacct cpu,cpuacct cpuacct,cpu memory pids devices
    freezer hugetlb blkio net_cls net_prio perf_event rdma misc init system container containers docker containerd k8s.io moby lxc
    lxcfs libpod_parent kubepods burstable besteffort kubelet pods volumes slurm slurmstepd venv site-packages dist-packages
    x86_64-linux-gnu aarch64-linux-gnu torch nvidia cuda python3 init.scope machine.slice system.slice user.slice kubepods.slice
    kubelet.slice docker.service containerd.service crio.service kubelet.service slurmd.service slurmstepd.scope ssh.service
    sshd.service cron.service -.slice""")  # fmt: skip

# Before a pod's UID or a container's id (kubernetes pkg/kubelet/cm/cgroup_manager_linux.go; the runtimes' systemd drivers).
ID_WORDS = _words("kubepods burstable besteffort guaranteed kubelet pod cri containerd crio conmon docker libpod payload nerdctl cri-o")

# What a path has to hold for its owner to be told.
OWNERS = ("kubepods", "slurm", "docker", "libpod", "cri-containerd", "crio", "lxc")

# Members of JSON documents that hold what people wrote; they are emptied.
EMPTIED = _words("""
    labels annotations env envFrom args command image imageID volumes volumeMounts nodeSelector affinity tolerations ownerReferences
    managedFields selector matchLabels message hostAliases serviceAccountName serviceAccount imagePullSecrets AllocResp generateName
    hostname subdomain workingDir conditions""")  # fmt: skip
