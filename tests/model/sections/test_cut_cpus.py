"""Which layer took a rank's CPUs."""

import pytest

from numaaudit.model.sections.cut_cpus import CutCpus

GROUP = "root/sys/fs/cgroup"
JOB = "/system.slice/slurmstepd.scope/job_7"


@pytest.fixture
def cuts(root, build):
    """The ranks that are cut where rank 1 (pid 101, CPUs 2-3,6-7 local) has a mask and a job's control groups above it."""

    def made(mask="0-1,4-5", argv=None, online=None, **cpusets):
        entries = root("2p-2n-2g")
        lines = [line for line in entries["root/proc/101/status"].splitlines() if not line.startswith("Cpus_allowed")]
        entries["root/proc/101/status"] = "\n".join([*lines, f"Cpus_allowed_list:\t{mask}", ""])
        entries["root/proc/101/cgroup"] = f"0::{JOB}\n"
        for name, cpus in cpusets.items():
            folder = {"top": "", "slice": "/system.slice", "job": JOB}[name]
            entries[f"{GROUP}{folder}/cpuset.cpus.effective"] = f"{cpus}\n"
        if argv:
            entries["root/proc/101/cmdline"] = argv.replace(" ", "\0") + "\0"
        if online:
            entries["root/sys/devices/system/cpu/online"] = f"{online}\n"
        return build(entries).section(CutCpus).all

    return made


def told(cut):
    return cut.rank.subject, cut.by, str(cut.wanted), str(cut.lost), cut.first.name, cut.first.owner


def test_the_group_nearest_the_root_that_takes_any_is_named(cuts):
    (cut,) = cuts(top="0-7", slice="0-7", job="0-1,4-5")

    assert told(cut) == ("rank:1", None, "2-3,6-7", "2-3,6-7", f"cgroup {JOB}", "Slurm")
    assert [(layer.name, str(layer.taken)) for layer in cut.layers] == [
        ("cgroup /", ""),
        ("cgroup /system.slice", ""),
        (f"cgroup {JOB}", "2-3,6-7"),
        ("online CPUs", ""),
        ("its own mask", ""),
    ]


def test_each_layer_takes_only_what_those_above_left(cuts):
    (cut,) = cuts(top="0-7", slice="0-5", job="0-1,4-5")

    assert [str(layer.taken) for layer in cut.layers] == ["", "6-7", "2-3", "", ""]
    assert told(cut)[4:] == ("cgroup /system.slice", "systemd")


def test_what_was_asked_for_is_wanted(cuts):
    (cut,) = cuts(mask="2", argv="numactl -C 2,6 python3 train.py", top="0-7", slice="0-7", job="0-5")

    assert told(cut) == ("rank:1", "numactl", "2,6", "6", f"cgroup {JOB}", "Slurm")


def test_a_group_is_not_to_blame_for_what_is_offline(cuts):
    argv = "numactl -C 2,6 python3 train.py"
    (cut,) = cuts(mask="2", argv=argv, online="0-5,7", top="0-5,7", slice="0-5,7", job="0-5,7")

    assert told(cut)[3:] == ("6", "online CPUs", None)


def test_a_mask_that_has_nothing_of_what_was_asked_for_replaced_it(cuts):
    (cut,) = cuts(argv="numactl -C 2,6 python3 train.py", top="0-7", slice="0-7", job="0-7")

    assert told(cut)[3:] == ("2,6", "its own mask", None)


@pytest.mark.parametrize(
    ("mask", "argv", "job"),
    [
        ("2-3,6-7", None, "0-7"),
        ("2", None, "2-3"),
        ("2", "numactl -C 2,6 python3 train.py", "0-7"),
        ("0-1", None, "0-7"),
        ("2,6", "numactl -C 2,6 python3 train.py", "2,6"),
    ],
)
def test_silent_where_no_layer_took_what_was_wanted(cuts, mask, argv, job):
    assert cuts(mask=mask, argv=argv, top="0-7", slice="0-7", job=job) == ()


def test_silent_where_nothing_is_known_of_the_layers(cuts):
    assert cuts() == ()
