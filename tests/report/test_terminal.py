"""The report on a terminal and in a pipe."""

import re

import pytest

from numaaudit.report.blocks import fold_subjects
from numaaudit.report.page import make_page
from numaaudit.report.terminal import Style, page_lines
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit, load_rules
from numaaudit.rules.finding import Outcome, Severity

TO_DO = frozenset({Outcome.FAIL, Outcome.UNKNOWN, Outcome.ERROR})


@pytest.fixture
def page(host):
    misplaced = host("2p-2n-2g-rank-off-node")
    return make_page(audit(misplaced), misplaced, Input("x.tar.gz", "bundle", None), TO_DO)


@pytest.mark.parametrize("width", [80, 200])
def test_no_line_is_wider_than_the_terminal(page, width):
    lines = page_lines(page, Style(width, colour=False, cut=True))

    assert max(len(line) for line in lines if not line.startswith("    $")) <= width


def test_colour_is_only_paint(page):
    plain = page_lines(page, Style(100, colour=False, cut=False))
    painted = page_lines(page, Style(100, colour=True, cut=False))

    assert plain != painted
    assert [
        line.replace("\x1b[0m", "").replace("\x1b[1;31m", "").replace("\x1b[32m", "").replace("\x1b[2m", "").replace("\x1b[1;33m", "")
        for line in painted
    ] == plain


@pytest.mark.parametrize(("no_color", "term", "colour"), [("", "xterm", True), ("1", "xterm", False), ("", "dumb", False)])
def test_no_color_and_dumb_terminals_are_honoured(monkeypatch, no_color, term, colour):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)

    assert Style.of_terminal().colour is colour


def test_says_which_rank_why_and_the_fix(page):
    text = "\n".join(page_lines(page, Style.plain()))

    assert "Rank 1 (pid 101) may run on CPUs 0-1,4-5 of NUMA node 0, but its GPU 0000:98:00.0 hangs on NUMA\n    node 1." in text
    assert re.search(r"root/proc/101/status:\d+: Cpus_allowed_list: 0-1,4-5", text)
    assert "  fix: " in text


@pytest.mark.parametrize(("fail_on", "told"), [("info", "{} fail"), ("critical", "0 fail, {} below --fail-on critical")])
def test_the_last_line_counts_causes_and_consequences(host, fail_on, told):
    misplaced = host("2p-2n-2g-rank-off-node")
    result = audit(misplaced, Severity(fail_on))
    numbers = [result.count(outcome) for outcome in (Outcome.FAIL, Outcome.UNKNOWN, Outcome.PASS)]
    last = page_lines(make_page(result, misplaced, Input("x.tar.gz", "bundle", None), TO_DO), Style.plain())[-1]

    assert last == f"{told.format(numbers[0])}, {numbers[1]} unknown, {numbers[2]} pass"


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["rank:2", "rank:3", "rank:5"], "rank:2-3,5"),
        (["rank:1", "gpu:0000:5e:00.0"], "rank:1 gpu:0000:5e:00.0"),
        (["pid:7", "pid:7"], "pid:7"),
        ([], ""),
    ],
)
def test_subjects_fold(subjects, expected):
    assert fold_subjects(subjects) == expected


def test_unknowns_fold_by_reason(root, build):
    entries = root("2p-2n-2g")
    for pid in (100, 101):
        del entries[f"root/proc/{pid}/numa_maps"]
    blind = build(entries)
    rules = [loaded for loaded in load_rules() if loaded.rule.code == "NA301"]
    page = make_page(audit(blind, rules=rules), blind, Input("x", "bundle", None), TO_DO)

    assert [(unknown.what, unknown.num_processes, unknown.subjects) for unknown in page.unknowns] == [("numa_maps", 2, "rank:0-1")]


def test_says_how_many_commands_it_leaves_out(page):
    (block, *_) = page.blocks
    many = page._replace(blocks=(block._replace(commands=tuple(f"taskset -pc 0 {pid}" for pid in range(8))),))
    lines = page_lines(many, Style.plain())

    assert sum(line.startswith("    $ taskset") for line in lines) == 4
    assert "    … and 4 more: --format markdown lists all" in lines


def test_what_no_file_would_tell_is_said_by_its_reason(build):
    nothing = build({})
    rules = [loaded for loaded in load_rules() if loaded.rule.code == "NA802"]
    page = make_page(audit(nothing, rules=rules), nothing, Input("x", "bundle", None), TO_DO)

    assert page.unknowns[1].sentence.startswith("no GPU was found: neither PCI functions, drivers nor GPU tools name one: 1 rule cannot")
