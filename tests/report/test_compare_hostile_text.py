"""Whatever two bundles hold stays text in every format of a comparison, and in the differences of two classes."""

import json
import re
from html.parser import HTMLParser

import pytest

from numaaudit.compare.diff import compare
from numaaudit.compare.from_host import snapshot_of
from numaaudit.model.hardware_class import HardwareClass, differences
from numaaudit.report.class_text import difference_lines
from numaaudit.report.compare_write import render_comparison
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "{{ 7*7 }}{% raw %}",
    "](javascript:alert(1)) ![x](http://192.0.2.1/x.png)",
    "```\n# heading\n```",
    "`code` @everyone #1",
    "| cell | cell |",
    "\x1b[2J\x1b]0;title\x07",
    "\u202etxt.exe\u202c\u200b",
    "line\r\nline",
    "\x00\x85\x9b31m",
)
UNSAFE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"


@pytest.fixture(params=range(len(HOSTILE)))
def hostile(request):
    return HOSTILE[request.param]


def sides(build, entries, text):
    """A host, and the same with hostile driver, kernel, command line, process name, UUID and model on one side."""
    line = text.replace("\r", " ").replace("\n", " ")
    information = "root/proc/driver/nvidia/gpus/0000:98:00.0/information"
    changed = {
        "root/sys/module/nvidia/version": text,
        "root/proc/sys/kernel/osrelease": text,
        "root/proc/101/cmdline": f"{text}\0{text}\0",
        "root/proc/101/status": entries["root/proc/101/status"].replace("python3", line).replace("2-3,6-7", "0-1,4-5"),
        information: entries[information].replace("NVIDIA H100 80GB HBM3", line),
    }
    hosts = [build(entries | {"root/sys/module/nvidia/version": "570\n"}), build(entries | changed)]
    snapshots = tuple(snapshot_of(host, audit(host), "bundle") for host in hosts)
    return (*snapshots, snapshots[0]._replace(collected_at=text))


@pytest.fixture
def written(root, build, hostile):
    """A function from a format to the text of a comparison of two or three."""

    def write(form, count=3, text=hostile):
        snapshots = sides(build, root("2p-2n-2g"), text)[:count]
        sources = tuple(Input(f"in {text}", "bundle", None) for _ in snapshots)
        return render_comparison(form, compare(snapshots), snapshots, sources)

    return write


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.seen = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen |= {tag} | {f"{tag}[{name}]" for name, _ in attrs}


@pytest.mark.parametrize("count", [2, 3])
def test_html_has_no_element_of_its_input(written, count):
    assert Tags(written("html", count)).seen <= Tags(written("html", count, text="harmless")).seen


def test_markdown_keeps_foreign_text_in_code(written):
    outside = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", written("markdown"))

    assert not re.search(r"<[a-z]|\]\(|@\w|://", outside)
    titles = [line for line in outside.splitlines() if line.startswith("#")]
    assert set(titles) <= {line for line in written("markdown", text="harmless").splitlines() if line.startswith("#")}


def test_markdown_tables_keep_their_columns(written):
    tables = [line for line in written("markdown").splitlines() if line.startswith("|")]

    assert {line.count("|") for line in tables} == {7}


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_nothing_moves_the_cursor_or_reorders_text(written, form):
    assert not re.search(UNSAFE, written(form))


def test_json_is_one_document(written, hostile):
    assert json.loads(written("json"))["inputs"][0]["path"] == f"in {hostile}"


def test_differences_of_classes_are_plain_lines(hostile):
    one = HardwareClass({"gpus": {hostile: {"model": hostile}}, "settings": {"host": {hostile: hostile}}})
    lines = list(difference_lines(differences(one, HardwareClass({"gpus": {}, "settings": {"host": {hostile: 1}}}))))

    assert len(lines) == 2
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", "".join(lines))
