"""Whatever a bundle holds stays text in every format: the same hostile strings through every writer."""

import json
import re
from datetime import date
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from numaaudit.report.as_junit import junit
from numaaudit.report.host_text import host_lines
from numaaudit.report.rule_text import page_of, why_lines
from numaaudit.report.view import Input
from numaaudit.report.write import render
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome
from numaaudit.rules.settings import default_policy
from numaaudit.rules.waiver import Waiver

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
    "=cmd|' /C calc'!A0",
)


@pytest.fixture(params=range(len(HOSTILE)))
def hostile(request):
    return HOSTILE[request.param]


@pytest.fixture
def hostile_host(root, build, hostile):
    """A host whose name, process names, masks' lines and command lines are hostile, and one of whose ranks is misplaced."""
    entries = root("2p-2n-2g-rank-off-node")
    line = hostile.replace("\n", " ")
    entries["root/proc/sys/kernel/hostname"] = hostile
    entries["root/proc/101/cmdline"] = f"{hostile}\0{hostile}\0"
    entries["root/proc/101/status"] = entries["root/proc/101/status"].replace("python3", line).replace("0-1,4-5", f"0-1,4-5\nJunk:\t{line}")
    entries["root/proc/driver/nvidia/gpus/0000:98:00.0/information"] = entries[
        "root/proc/driver/nvidia/gpus/0000:98:00.0/information"
    ].replace("NVIDIA H100 80GB HBM3", line)
    entries["commands/nvidia-smi_--query-compute-apps=gpu_uuid,pid,process_name,used_memory_--format=csv.out"] += line + "\n"
    return build(entries)


def written(host, form, waivers=()):
    source = Input("in <b>put</b>\x1b[1m", "bundle", None, "po<b>licy\x1b[1m", None, ("plug<i>in",))
    return render(form, audit(host, waivers=waivers), host, source, frozenset(Outcome))


@pytest.fixture
def hostile_waivers(hostile):
    """One that waives a failure of the host, one that has expired, one that matches nothing."""
    waiver = Waiver("NA201", "*", None, hostile, hostile, None, "*", 1)
    return waiver, waiver._replace(subject=hostile, expires=date(2000, 1, 1)), waiver._replace(subject=hostile, line=2)


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen |= {tag} | {f"{tag}[{name}]" for name, _ in attrs}


def test_html_has_no_element_of_its_input(hostile_host, hostile_waivers, host):
    tags, harmless = Tags(), Tags()
    tags.feed(written(hostile_host, "html", hostile_waivers))
    harmless.feed(written(host("2p-2n-2g-rank-off-node"), "html"))

    assert tags.seen <= harmless.seen


def test_markdown_keeps_foreign_text_in_code(hostile_host, hostile_waivers):
    text = written(hostile_host, "markdown", hostile_waivers)
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.M | re.S)
    outside = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", outside)

    assert not re.search(r"<[a-z]|\]\(|@\w|://", outside)
    assert [line for line in outside.splitlines() if line.startswith("#")] == [
        line for line in text.splitlines() if re.match(r"#{2,3} (numaaudit:|[A-Z]+: |Ranks|Unknown|Waived)", line)
    ]


def test_junit_is_xml_of_its_own_elements(hostile_host, hostile_waivers):
    result = audit(hostile_host, waivers=hostile_waivers)
    document = ET.fromstring(junit(result, frozenset(finding.id for finding in result.findings if finding.counts)))  # noqa: S314  (our own output)

    assert {element.tag for element in document.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", "".join(document.itertext()))


def test_no_text_of_sarif_moves_the_cursor(hostile_host, hostile_waivers):
    def texts(value):
        if isinstance(value, dict):
            return [text for item in value.values() for text in texts(item)]
        return [text for item in value for text in texts(item)] if isinstance(value, list) else [str(value)]

    found = "".join(texts(json.loads(written(hostile_host, "sarif", hostile_waivers))))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", found)


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_nothing_moves_the_cursor_or_reorders_text(hostile_host, hostile_waivers, form):
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", written(hostile_host, form, hostile_waivers)
    )


def test_the_model_for_people_is_plain_text(hostile_host):
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", "".join(host_lines(hostile_host)))


def test_the_explanation_is_plain_text(hostile_host):
    assert not re.search(
        "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", "".join(why_lines(page_of("NA201", default_policy()), hostile_host))
    )
