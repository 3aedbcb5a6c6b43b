"""Insights archives: commands under insights_commands appear where a bundle of ours has them."""

import gzip

import pytest

from numaaudit.bundle.adapters.insights import ADAPTER
from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tar import END, member


@pytest.mark.parametrize("top", ("insights-gpu-host-20261129101500/", "insights-gpu-host-20261129101500/data/"))
def test_commands_and_copied_files_are_found(tmp_path, top):
    members = {"insights_commands/lscpu": b"Architecture: x86_64\n", "sys/devices/system/node/node0/cpulist": b"0-7\n"}
    data = b"".join(member(top + name, content) for name, content in members.items()) + END
    (tmp_path / "in.tar.gz").write_bytes(gzip.compress(data))
    opened = open_input(str(tmp_path / "in.tar.gz"))

    assert ("insights", b"Architecture: x86_64\n", b"0-7\n") == (
        opened.kind, opened.tree.get("commands/lscpu.out").data, opened.tree.get("root/sys/devices/system/node/node0/cpulist").data,
    )  # fmt: skip


def test_only_files_right_below_the_folder_are_commands():
    assert [None, "commands/nvidia-smi_-L.out"] == [ADAPTER.bundle_path(path) for path in ("a/lscpu", "nvidia-smi_-L")]
