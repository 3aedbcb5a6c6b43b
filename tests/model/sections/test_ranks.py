"""Which process serves which GPU."""

import pytest

from numaaudit.model.sections.ranks import Ranks

CARD = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"


def reached(host):
    return {rank.subject: ([gpu.name for gpu in rank.gpus], rank.gpu_source) for rank in host.section(Ranks).all}


def with_render_node(entries):
    """The entries without driver tables; process 101 has a render node of the second GPU open, an AMD one."""
    kept = {path: entry for path, entry in entries.items() if "/fd/" not in path and "compute-apps" not in path and "nvidia" not in path}
    return kept | {
        "root/proc/101/fd/5": "@/dev/dri/renderD129",
        f"{CARD}/vendor": "0x1002\n",
        "root/sys/class/drm/renderD129": "@../../devices/pci0000:97/0000:97:01.0/0000:98:00.0/drm/renderD129",
    }


def test_an_open_render_node_ties_a_rank_to_the_gpu_above_it(root, build):
    assert reached(build(with_render_node(root("2p-2n-2g"))))["rank:1"] == (["0000:98:00.0"], "open-device")


def test_a_render_node_that_sysfs_does_not_list_ties_to_nothing(root, build):
    entries = with_render_node(root("2p-2n-2g"))
    del entries["root/sys/class/drm/renderD129"]

    assert "0000:98:00.0" not in [name for names, _ in reached(build(entries)).values() for name in names]


@pytest.mark.parametrize(
    ("comm", "argv"),
    [
        ("nvidia-persiste", "/usr/bin/nvidia-persistenced\0--user\0nvidia\0"),
        ("nvidia-cuda-mps", "nvidia-cuda-mps-server\0"),
        ("dcgm-exporter", "/usr/bin/dcgm-exporter\0"),
        ("Xorg", ""),
        ("main", "/usr/bin/nv-hostengine\0-n\0"),
    ],
)
def test_a_program_that_only_watches_or_drives_a_gpu_is_no_rank(root, build, comm, argv):
    entries = root("2p-2n-2g")
    status = entries["root/proc/101/status"].replace("Name:\tpython3", f"Name:\t{comm}")

    assert list(reached(build(entries | {"root/proc/101/status": status, "root/proc/101/cmdline": argv}))) == ["rank:0"]
