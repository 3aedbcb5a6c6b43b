"""Which layers stand between a rank and its CPUs, and which of them took any."""

import json

import pytest

from numaaudit.model.sections.cut_cpus import CutCpus

GROUP, STATE = "root/sys/fs/cgroup", "root/var/lib/kubelet/cpu_manager_state"
UNIT = "/system.slice/train.service"
UID = "0a1b2c3d-1111-2222-3333-444455556666"
POD = f"/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/cri-containerd-{'c' * 64}.scope"


def shown(group, cpu_affinity="", allowed_cpus=""):
    """A unit as systemctl 252 prints it."""
    name = group.rpartition("/")[2]
    return f"Slice=system.slice\nControlGroup={group}\nAllowedCPUs={allowed_cpus}\nCPUAffinity={cpu_affinity}\nId={name}\n"


@pytest.fixture
def layers(root, build):
    """(name, owner, CPUs, taken) of the layers of rank 1 (pid 101, CPUs 2-3,6-7 local) with this mask."""

    def made(mask="0-1,4-5", cgroup=f"0::{UNIT}\n", **more):
        entries = root("2p-2n-2g") | {"root/proc/101/cgroup": cgroup, **more}
        lines = [line for line in entries["root/proc/101/status"].splitlines() if not line.startswith("Cpus_allowed")]
        entries["root/proc/101/status"] = "\n".join([*lines, f"Cpus_allowed_list:\t{mask}", ""])
        cuts = build(entries).section(CutCpus).all
        return [(layer.name, layer.owner, str(layer.cpus), str(layer.taken)) for cut in cuts for layer in cut.layers]

    return made


TOP = ("cgroup /", None, "0-7", "")
LAST = [("online CPUs", None, "0-7", ""), ("its own mask", None, "0-1,4-5", "")]


def test_a_units_affinity(layers):
    assert layers(**{"commands/systemctl_show_train.service.out": shown(UNIT, cpu_affinity="0-1 4-5")}) == [
        ("CPUAffinity= of train.service", "systemd", "0-1,4-5", "2-3,6-7"),
        TOP,
        *LAST,
    ]


def test_on_v1_the_unit_is_found_by_systemds_own_hierarchy(layers):
    text = shown(UNIT, cpu_affinity="0-1 4-5")
    cgroup = f"4:cpuset:/\n1:name=systemd:{UNIT}\n"

    assert layers(cgroup=cgroup, **{"commands/systemctl_show_train.service.out": text})[0][3] == "2-3,6-7"


def test_slice_then_unit_then_their_control_groups(layers):
    units = "\n".join((shown("/system.slice", allowed_cpus="0-5"), shown(UNIT, allowed_cpus="0-1 4-5"), shown("/other.slice", "7", "7")))
    effective = {f"{GROUP}/system.slice/cpuset.cpus.effective": "0-5\n", f"{GROUP}{UNIT}/cpuset.cpus.effective": "0-1,4-5\n"}

    assert layers(**{"commands/systemctl_show_units.out": units}, **effective) == [
        ("AllowedCPUs= of system.slice", "systemd", "0-5", "6-7"),
        ("AllowedCPUs= of train.service", "systemd", "0-1,4-5", "2-3"),
        TOP,
        ("cgroup /system.slice", "systemd", "0-5", ""),
        (f"cgroup {UNIT}", "systemd", "0-1,4-5", ""),
        *LAST,
    ]


def test_what_the_process_left_behind_takes_nothing(layers):
    unit = {"commands/systemctl_show_train.service.out": shown(UNIT, cpu_affinity="0", allowed_cpus="1")}
    group = {f"{GROUP}{UNIT}/cpuset.cpus.effective": "0-1,4-5\n"}

    assert layers(**unit, **group) == [
        ("AllowedCPUs= of train.service", "systemd", "1", ""),
        ("CPUAffinity= of train.service", "systemd", "0", ""),
        TOP,
        (f"cgroup {UNIT}", "systemd", "0-1,4-5", "2-3,6-7"),
        *LAST,
    ]


def test_silent_where_only_a_unit_that_was_left_behind_is_known(layers):
    assert layers(**{"commands/systemctl_show_train.service.out": shown(UNIT, cpu_affinity="0")}) == []


@pytest.mark.parametrize(("entries", "cpus"), [({UID: {"main": "0-1"}}, "0-1,4-5"), ({}, "4-5"), ({UID: {"main": "0-1,4-5"}}, "0-1,4-5")])
def test_the_kubelets_cpus_of_the_pod_with_the_pool_that_a_side_container_has(layers, entries, cpus):
    state = {"policyName": "static", "defaultCpuSet": "4-5", "entries": entries, "checksum": 1}

    assert layers(mask="4", cgroup=f"0::{POD}\n", **{STATE: json.dumps(state)})[1] == (f"CPUs of pod {UID}", "kubelet", cpus, "2-3,6-7")


def test_sruns_mask_of_the_task(layers):
    asked = {"root/proc/101/cmdline": "numactl\0-C\0" + "2,4\0python3\0train.py\0"}
    task = {"root/proc/101/environ": "SLURM_CPU_BIND_TYPE=mask_cpu:\0SLURM_CPU_BIND_LIST=0x0f,0x30\0SLURM_LOCALID=1\0"}

    assert layers(mask="4", **asked, **task) == [
        TOP,
        ("srun's mask of the task", "Slurm", "4-5", "2"),
        ("online CPUs", None, "0-7", ""),
        ("its own mask", None, "4", ""),
    ]


def test_sruns_mask_is_no_layer_where_it_is_what_was_asked_for(layers):
    task = {"root/proc/101/environ": "SLURM_CPU_BIND_TYPE=mask_cpu:\0SLURM_CPU_BIND_LIST=0x0f,0xcc\0SLURM_LOCALID=1\0"}

    assert [name for name, *_ in layers(**task)] == ["cgroup /", "online CPUs", "its own mask"]
