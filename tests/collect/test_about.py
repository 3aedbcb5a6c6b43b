import os
import re
from pathlib import Path

from numaaudit.collect import about
from numaaudit.collect.host_files import host_tree


def test_the_host_id_is_stable_and_is_not_the_machine_id(make_root):
    root = make_root({"etc/machine-id": "0123456789abcdef0123456789abcdef\n"})

    first, second = about.host_id(host_tree(root)), about.host_id(host_tree(root))

    assert first == second
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert first != "0123456789abcdef0123456789abcdef"


def test_a_host_without_a_machine_id_has_no_host_id(make_root):
    assert about.host_id(host_tree(make_root({"etc/hostname": "x"}))) == ""


def test_the_collector_knows_its_own_rights_and_masks():
    found = about.collector(host_tree("/"))

    assert found["uid"] == os.geteuid()
    assert found["allowed_cpus"] in Path("/proc/self/status").read_text()
    assert found["namespaces"]["pid"] == os.readlink("/proc/self/ns/pid")
    assert found["cgroup"] == Path("/proc/self/cgroup").read_text().strip()


def test_of_another_root_its_rights_are_unknown(make_root):
    found = about.collector(host_tree(make_root({"proc/version": "Linux\n"})))

    assert (found["capabilities"], found["seccomp"], found["namespaces"]["pid"]) == (None, None, None)
