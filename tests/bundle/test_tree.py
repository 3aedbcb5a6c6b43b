"""Tree: paths of a bundle, links followed as chroot would, gaps instead of exceptions; from memory and from a directory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.bundle.tree import File, Folder, Gap, Leaf, Link, Members, Tree, braces

ENTRIES = {
    "root/sys/devices/pci0000:00/0000:00:01.0/numa_node": b"1\n",
    "root/sys/bus/pci/devices/0000:00:01.0": Link("../../../devices/pci0000:00/0000:00:01.0"),
    "root/etc/shadow": b"of the input",
    "root/absolute": Link("/etc/shadow"),
    "root/up": Link("../../../../../../etc/shadow"),
    "root/loop": Link("loop"),
    "root/ping": Link("pong"),
    "root/pong": Link("ping"),
    "root/proc/7/fd/3": Link("pipe:[1]"),
    "root/proc/7/fd/4": Link("/dev/nvidia3"),
    "root/proc/cpu2": b"2",
    "root/proc/cpu10": b"10",
    "root/proc/empty": None,
    "again/1/root/proc/cpu2": b"later",
    "again/1/root/up": Link("/../proc/cpu2"),
    "commands/lscpu.out": b"Architecture: x86_64\n",
}


def in_memory(path) -> Tree:
    members = Members()
    for name, entry in ENTRIES.items():
        members.add(name, Leaf(name, lambda entry=entry: entry) if isinstance(entry, bytes) else entry)
    return Tree(members)


def in_a_directory(path) -> Tree:
    for name, entry in ENTRIES.items():
        place = path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, Link):
            place.symlink_to(entry.target)
        elif entry is None:
            place.mkdir()
        else:
            place.write_bytes(entry)
    return Tree(Folder(str(path)))


@pytest.fixture(params=(in_memory, in_a_directory))
def tree(request, tmp_path) -> Tree:
    return request.param(tmp_path)


def test_a_file_has_its_path_its_bytes_and_its_place_in_the_input(tree):
    assert File("commands/lscpu.out", b"Architecture: x86_64\n", "commands/lscpu.out") == tree.get("commands/lscpu.out")


def test_a_file_is_found_through_links_and_cites_its_own_place(tree):
    found = tree.get("root/sys/bus/pci/devices/0000:00:01.0/numa_node")

    assert (b"1\n", "root/sys/devices/pci0000:00/0000:00:01.0/numa_node") == (found.data, found.origin)


@pytest.mark.parametrize("path", ("root/absolute", "root/up"))
def test_links_stay_inside_the_input_s_root(tree, path):
    assert b"of the input" == tree.get(path).data


def test_absolute_links_of_a_later_reading_stay_inside_it(tree):
    assert b"later" == tree.get("again/1/root/up").data


@pytest.mark.parametrize("path", ("root/loop", "root/ping", "root/loop/x"))
def test_links_in_a_circle_are_a_gap(tree, path):
    assert Gap("absent", path, "too many symbolic links") == tree.get(path)


@pytest.mark.parametrize("path", ("root/proc/7/fd/3", "root/proc/7/fd/4", "root/none", "root/proc/cpu2/x", "none", "root/proc/\0", ""))
def test_what_is_not_there_is_a_gap(tree, path):
    assert ("absent", path) == tree.get(path)[:2]


def test_a_directory_is_no_file(tree):
    assert Gap("absent", "root/proc", "a directory") == tree.get("root/proc")


def test_the_text_of_a_link_is_data(tree):
    assert ["pipe:[1]", "/dev/nvidia3"] == [tree.link(path) for path in tree.glob("root/proc/7/fd/*")]
    assert Gap("absent", "root/proc/cpu2", "not a symbolic link") == tree.link("root/proc/cpu2")
    assert "absent" == tree.link("root/none/x").kind


def test_a_number_at_the_end_of_a_name_is_nothing_else():
    members = Members()
    for name in ("12", "7", "1x", "1\u0663", "1" * 11):
        members.add(f"root/proc/{name}/status", Leaf(name, lambda: b""))
        members.add(f"root/proc/cpu{name}", Leaf(name, lambda: b""))
    tree = Tree(members)

    assert ["root/proc/7/status", "root/proc/12/status"] == tree.glob("root/proc/[0-9]*/status")
    assert ["root/proc/cpu7", "root/proc/cpu12"] == tree.glob("root/proc/cpu[0-9]*")


def test_globs_know_braces_and_wildcards_in_natural_order(tree):
    assert ["root/proc/cpu2", "root/proc/cpu10"] == tree.glob("root/proc/cpu[0-9]*")
    assert ["again/1/root/proc/cpu2", "root/proc/cpu2", "root/proc/cpu10"] == tree.glob("{again/1/root,root,none}/proc/cpu{2,10}")
    assert ["root/sys/bus/pci/devices/0000:00:01.0/numa_node"] == tree.glob("root/sys/bus/pci/devices/*/{class,numa_node}")
    assert [] == tree.glob("root/none/*/x")


def test_names_of_a_directory_are_in_natural_order(tree):
    assert ["7", "cpu2", "cpu10", "empty"] == tree.names("root/proc")
    assert [[], [], []] == [tree.names(path) for path in ("root/proc/empty", "root/proc/cpu2", "root/none")]


def test_a_link_of_a_directory_never_leads_to_this_host(tmp_path):
    (tmp_path / "root" / "proc").mkdir(parents=True)
    (tmp_path / "root" / "proc" / "status").symlink_to("/proc/self/status")
    (tmp_path / "root" / "etc").symlink_to("/etc")
    tree = Tree(Folder(str(tmp_path)))

    assert ["absent", "absent"] == [tree.get(path).kind for path in ("root/proc/status", "root/etc/passwd")]


def test_root_base_and_aliases_place_a_foreign_layout():
    members = Members()
    for name in ("top/proc/cpuinfo", "top/sos_commands/numa/numactl_--hardware"):
        members.add_bytes(name, name.encode())
    tree = Tree(members, root="top", base="top", aliases={"commands/numactl_--hardware.out": "top/sos_commands/numa/numactl_--hardware"})

    assert "top/proc/cpuinfo" == tree.get("root/proc/cpuinfo").origin
    assert ["commands/numactl_--hardware.out"] == tree.glob("commands/*")
    assert "top/sos_commands/numa/numactl_--hardware" == tree.get("commands/numactl_--hardware.out").origin


def test_what_the_manifest_says_of_a_path_is_the_gap_also_behind_links():
    members = Members()
    members.add("root/proc/self", Link("7"))
    members.add("root/proc/7/status", Leaf("", bytes))
    tree = Tree(members, gaps={"root/proc/7/numa_maps": Gap("refused", "root/proc/7/numa_maps", "Permission denied")})

    assert Gap("refused", "root/proc/self/numa_maps", "Permission denied") == tree.get("root/proc/self/numa_maps")


def test_a_read_that_fails_is_a_gap():
    def fail() -> bytes:
        raise PermissionError(13, "Permission denied")

    members = Members()
    members.add("root/f", Leaf("root/f", fail))

    assert Gap("refused", "root/f", "Permission denied") == Tree(members).get("root/f")


def test_all_bytes_are_redacted():
    members = Members()
    members.add_bytes("root/proc/1/environ", b"SECRET=1")

    assert b"root/proc/1/environ" == Tree(members, redact=lambda path, data: path.encode()).get("root/proc/1/environ").data


def test_a_path_thousands_of_folders_deep_is_a_gap():
    assert "absent" == Tree(Members()).get("root/" + "a/" * 20_000).kind


@pytest.mark.parametrize(
    ("pattern", "plain"),
    [("a", ["a"]), ("{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]), ("a{,b}", ["a", "ab"]), ("{", ["{"]), ("}{", ["}{"])],
)
def test_braces_are_alternatives(pattern, plain):
    assert plain == braces(pattern)


@given(st.dictionaries(st.sampled_from("abcd"), st.text("abcd./", max_size=8), max_size=4), st.text("abcd./", max_size=12))
def test_no_combination_of_links_raises_or_leaves_the_tree(links, path):
    members = Members()
    members.add_bytes("root/x/secret", b"")
    for name, target in links.items():
        members.add("root/x/" + name, Link(target))
    tree = Tree(members, root="root/x")

    assert tree.get("root/" + path).path == "root/" + path
    assert all(found.startswith("root/") for found in tree.glob("root/*/*"))
