"""sosreport: commands under sos_commands/PLUGIN appear where a bundle of ours has them."""

import lzma

import pytest

from numaaudit.bundle.adapters.sosreport import ADAPTER
from numaaudit.bundle.opening import open_input
from numaaudit.bundle.tar import END, SYMLINK, member

TOP = "sosreport-gpu-host-2026-11-29-abcdefg/"
MEMBERS = {
    "proc/cpuinfo": b"processor: 0\n",
    "root/.bash_history": b"",
    "sos_commands/numa/numactl_--hardware": b"available: 2 nodes (0-1)\n",
    "sos_commands/nvidia/nvidia-smi_-q": b"GPU 00000000:1B:00.0\n",
    "sos_commands/host/uname_-a": b"Linux gpu-host\n",
    "sos_commands/kernel/uname_-a": b"Linux later\n",
    "sos_commands/logs/journal/boot/x": b"deep\n",
}
REPORT = b"".join(member(TOP + name, data) for name, data in MEMBERS.items()) + member(TOP + "uname", kind=SYMLINK, target="x") + END


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "sosreport.tar.xz").write_bytes(lzma.compress(REPORT))
    return open_input(str(tmp_path / "sosreport.tar.xz"))


def test_it_is_known_by_its_folder(opened):
    assert "sosreport" == opened.kind


def test_copied_files_are_the_root(opened):
    assert TOP + "proc/cpuinfo" == opened.tree.get("root/proc/cpuinfo").origin


def test_commands_are_found_by_our_names_and_cite_their_own(opened):
    found = opened.tree.get("commands/numactl_--hardware.out")

    assert (b"available: 2 nodes (0-1)\n", TOP + "sos_commands/numa/numactl_--hardware") == (found.data, found.origin)
    assert ["commands/numactl_--hardware.out", "commands/nvidia-smi_-q.out", "commands/uname_-a.out"] == opened.tree.glob("commands/*")


def test_of_two_plugins_that_ran_a_command_the_first_is_taken(opened):
    assert b"Linux gpu-host\n" == opened.tree.get("commands/uname_-a.out").data


def test_only_files_right_below_a_plugin_are_commands():
    assert [None, None, "commands/lscpu_-ae.out"] == [ADAPTER.bundle_path(path) for path in ("lscpu", "a/b/lscpu", "processor/lscpu_-ae")]
