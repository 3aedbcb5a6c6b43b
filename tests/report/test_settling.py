"""What a report of a pasted text asks for."""

import pytest

from numaaudit.report.as_markdown import markdown
from numaaudit.report.page import make_page
from numaaudit.report.terminal import Style, page_lines
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome

MATRIX = "\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-1\t0\n"


@pytest.fixture
def page(build):
    host = build({"pasted/paste.txt": MATRIX})
    return lambda kind: make_page(audit(host), host, Input("paste.txt", kind, None), frozenset(Outcome))


def test_of_a_pasted_text_the_commands_that_would_tell_more_are_named(page):
    lines = page_lines(page("text"), Style.plain())

    start = lines.index("To settle this, paste also:")
    assert lines[start + 1] == "    $ lscpu"
    assert "To settle this, paste also:\n\n```text\nlscpu\n" in markdown(page("text"))


def test_of_a_bundle_none_are(page):
    assert page("bundle").settling == ()
