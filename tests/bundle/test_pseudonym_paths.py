import re

import pytest

from numaaudit.bundle.pseudonym_paths import Paths
from numaaudit.bundle.pseudonyms import Pseudonyms

UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
ID = "3f9a17c2" * 8


@pytest.fixture
def paths():
    return Paths(Pseudonyms(b"sixteen bytes or more"))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/init.scope",
        "/system.slice/slurmstepd.scope/job_7/step_0/user/task_0",
        "/slurm/uid_1000/job_12/step_batch",
        "/user.slice/user-1000.slice/session-3.scope",
        "/user.slice/user-1000.slice/user@1000.service",
        "/kubepods/burstable",
        "/../..",
    ],
)
def test_a_cgroup_that_every_host_can_have_stays(paths, path):
    assert paths.cgroup(path) == path


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        (
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod%s.slice/cri-containerd-%s.scope" % (UID.replace("-", "_"), ID),
            r"/kubepods\.slice/kubepods-burstable\.slice/kubepods-burstable-pod([0-9a-f_]{36})\.slice/cri-containerd-([0-9a-f]{64})\.scope",
        ),
        ("/kubepods/besteffort/pod%s/%s" % (UID, ID), r"/kubepods/besteffort/pod([0-9a-f-]{36})/([0-9a-f]{64})"),
        (
            "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod%s.slice" % UID.replace("-", "_"),
            r"/kubelet\.slice/kubelet-kubepods\.slice/kubelet-kubepods-pod([0-9a-f_]{36})\.slice",
        ),
        ("/docker/%s" % ID, r"/docker/([0-9a-f]{64})"),
        ("/system.slice/docker-%s.scope" % ID, r"/system\.slice/docker-([0-9a-f]{64})\.scope"),
        ("/machine.slice/libpod-payload-%s" % ID, r"/machine\.slice/libpod-payload-([0-9a-f]{64})"),
        ("/lxc.payload.acme", r"/lxc\.payload\.container-[0-9a-f]{10}"),
        ("/system.slice/acme-llm.service", r"/system\.slice/path-[0-9a-f]{10}\.service"),
        ("/acme_slurmstepd.scope/job_7", r"/slurm-path-[0-9a-f]{10}\.scope/job_7"),
        ("/acme", r"/path-[0-9a-f]{10}"),
    ],
)
def test_a_cgroup_keeps_what_is_parsed_of_it(paths, path, shape):
    replaced = paths.cgroup(path)

    assert re.fullmatch(shape, replaced), replaced
    assert not re.search(r"acme|8f2b1c00|3f9a17c2", replaced)


@pytest.mark.parametrize(
    "path", ["/dev/nvidia0", "/proc/7/status", "/sys/class/net/eth0", "/usr/lib/libc.so.6", "/opt/venv/bin/python3.11"]
)
def test_paths_of_the_kernel_and_of_packages_stay(paths, path):
    assert paths.path(path) == path


def test_what_is_below_one_folder_stays_together(paths):
    one, other = paths.path("/data/acme/model/a.gguf"), paths.path("/data/acme/model/b.json")

    assert one.rpartition("/")[0] == other.rpartition("/")[0]
    assert re.fullmatch(r"/data/path-\w+/path-\w+/path-\w+\.gguf", one)


def test_the_files_of_a_cgroup_keep_their_names_and_its_own_directory_does_not(paths):
    assert paths.file("/sys/fs/cgroup/acme/cpuset.cpus.effective").endswith("/cpuset.cpus.effective")
    assert "acme" not in paths.file("/sys/fs/cgroup/acme")
    assert paths.file("/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint").endswith("/device-plugins/kubelet_internal_checkpoint")


@pytest.mark.parametrize("text", ["and/or 1/2 GB/s N/A", "cpus 0-3/8", "https://", "a /8 mask"])
def test_a_slash_makes_no_path(paths, text):
    assert paths.text(text) == text


def test_what_a_declared_path_names_literally_stays_and_what_its_globs_match_does_not():
    paths = Paths(Pseudonyms(b"sixteen bytes or more"), ["run/slurm/conf/{slurm,gres}.conf", "opt/*/acme-state/file"])

    assert paths.path("/run/slurm/conf/gres.conf") == "/run/slurm/conf/gres.conf"
    assert paths.file("/run/slurm/conf/cgroup.conf") == "/run/slurm/conf/cgroup.conf"
    assert re.fullmatch(r"/opt/path-[0-9a-f]{10}/acme-state/file", paths.path("/opt/zebra/acme-state/file"))
    assert re.fullmatch(r"/opt/path-[0-9a-f]{10}", paths.path("/opt/acme-state"))
    assert re.fullmatch(r"/srv/path-[0-9a-f]{10}/path-[0-9a-f]{10}", paths.path("/srv/conf/gres"))


def test_a_volume_is_called_by_its_owner(paths):
    assert re.fullmatch(r"/dev/mapper/path-[0-9a-f]{10}", paths.path("/dev/mapper/acme--vg-root"))
    assert paths.path("/dev/nvme0n1p1") == "/dev/nvme0n1p1"
