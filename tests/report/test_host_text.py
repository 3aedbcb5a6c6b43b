"""The model for people: what is missing for one reason is told once."""

from numaaudit.bundle.tree import Gap
from numaaudit.model.sections.system import System
from numaaudit.report.host_text import host_lines
from numaaudit.report.page import seen_from


def missing(host, *gaps):
    lines = host_lines(host._replace(gaps=gaps))
    return lines[lines.index("not known") + 1 :]


def test_few_paths_are_told_one_by_one(host):
    gaps = [Gap("absent", f"root/etc/{name}", "not on this host") for name in "abc"]

    assert missing(host("2p-2n-2g"), *gaps) == [f"  root/etc/{name}: absent, not on this host" for name in "abc"]


def test_many_paths_that_are_missing_for_one_reason_are_one_paragraph(host):
    gaps = [Gap("absent", f"root/etc/{name}", "not on this host") for name in "abcd"]

    assert missing(host("2p-2n-2g"), *gaps, Gap("refused", "root/x", "")) == [
        "  absent, not on this host:",
        "    root/etc/a, root/etc/b, root/etc/c, root/etc/d",
        "  root/x: refused",
    ]


def test_the_same_file_of_many_processes_is_counted(host):
    gaps = [Gap("refused", f"root/proc/{pid}/numa_maps", "Permission denied") for pid in range(8)]

    assert missing(host("2p-2n-2g"), *gaps) == ["  numa_maps (8 times): refused, Permission denied"]


def test_nothing_is_said_where_nothing_is_missing(host):
    assert "not known" not in host_lines(host("2p-2n-2g")._replace(gaps=()))


def test_sampled_pages_are_told_of_with_their_process_and_what_was_not_sampled_as_not_known(host, root, build, sampled):
    cut = (Gap("cut", f"root/proc/{pid}/numa_maps", "sampled") for pid in (100, 101))
    lines = host_lines(build(sampled(root("2p-2n-2g"), 101, "default", {"anon": (3072, {1: 4000})}))._replace(gaps=tuple(cut)))

    at = next(number for number, line in enumerate(lines) if "random pages" in line)
    assert lines[at + 1] == "          all of them: numaaudit collect --pid 101 --pages full (holds the process up by about 9 ms per GiB)"
    assert lines[lines.index("not known") + 1 :] == ["  numa_maps: cut, sampled"]


def test_a_host_is_seen_from_where_check_says_it_is(root, build):
    entries = root("2p-2n-2g") | {"root/sys/class/dmi/id/sys_vendor": "QEMU\n"}
    system = build(entries).section(System)

    assert host_lines(build(entries))[0].endswith(f", {seen_from(system)}")


def test_what_is_one_is_not_said_as_many(host):
    lines = host_lines(host("2p-2n-2g"))

    assert [line for line in lines if "1 threads" in line or "1 cores" in line] == []
