"""Lines as evidence."""

from numaaudit.bundle.tree import File
from numaaudit.model.evidence import MOST_CHARACTERS, Evidence, cite, cite_entry, cite_line, cite_link

STATUS = File("root/proc/7/status", b"Name:\tvllm\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n", "x/proc/7/status")


def test_cites_the_line_of_the_first_needle_that_occurs():
    assert cite(STATUS, "Mems_allowed", "Cpus_allowed_list") == Evidence(STATUS, 3, "Cpus_allowed_list:\t0-7")


def test_cites_the_first_line_for_no_needle():
    assert cite(STATUS) == Evidence(STATUS, 1, "Name:\tvllm")


def test_a_needle_that_does_not_occur_has_no_line():
    assert cite(STATUS, "Seccomp") == Evidence(STATUS, None, "")


def test_lines_count_from_where_the_part_began_in_its_input():
    part = STATUS._replace(first_line=41)

    assert (cite(part, "Cpus_allowed:").line, cite_line(part, 3).line) == (42, 43)


def test_a_line_beyond_the_end_is_none():
    assert cite_line(STATUS, 9) == Evidence(STATUS, None, "")


def test_lines_end_at_newlines_only():
    log = File("logs/x", b"50 %\r100 %\r\nrank 0\x0c \xe2\x80\xa8 bound\r\n", "logs/x")

    assert cite_line(log, 1) == Evidence(log, 1, "50 %\r100 %")
    assert cite_line(log, 2) == cite(log, "rank 0") == Evidence(log, 2, "rank 0\x0c \u2028 bound")
    assert cite_line(log, 3) == Evidence(log)


def test_a_storm_of_errors_is_cited_line_by_line():
    log = File("commands/dmesg.out", b"pcieport 0000:16:01.0: PCIe Bus Error: severity=Corrected\n" * 50_000, "dmesg")

    assert [cite_line(log, line).line for line in range(1, 50_001)] == [*range(1, 50_001)]


def test_of_a_long_line_the_part_around_what_is_cited_is_kept():
    state = File("state", b"a" * 10_000 + b"uid" + b"b" * 10_000, "state")

    for evidence in (
        cite(state, "uid"),
        cite(state),
        cite_line(state, 1),
        cite_entry(File("environ", b"A=" + b"x" * 9000, "environ"), "A"),
    ):
        assert len(evidence.text) <= MOST_CHARACTERS + 6
    assert cite(state, "uid").text == "..." + "a" * 2048 + "uid" + "b" * 2045 + "..."
    assert cite(state).text == "a" * MOST_CHARACTERS + "..."


def test_an_entry_of_a_nul_separated_file_has_no_line():
    environ = File("root/proc/7/environ", b"RANK=1\0LOCAL_RANK=3\0", "root/proc/7/environ")

    assert cite_entry(environ, "LOCAL_RANK") == Evidence(environ, None, "LOCAL_RANK=3")


def test_a_link_is_its_target():
    evidence = cite_link("root/proc/7/fd/4", "/dev/nvidia3")

    assert (evidence.path, evidence.line, evidence.text) == ("root/proc/7/fd/4", 1, "/dev/nvidia3")
