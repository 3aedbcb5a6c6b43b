"""The report as a page for browsers."""

import re

from numaaudit.report.as_html import html
from numaaudit.report.page import make_page
from numaaudit.report.view import Input
from numaaudit.rules.engine import audit
from numaaudit.rules.finding import Outcome


def written(host):
    return html(make_page(audit(host), host, Input("x", "bundle", None), frozenset(Outcome)))


def test_the_row_of_the_rank_that_is_misplaced_is_marked(host):
    page = written(host("2p-2n-2g-rank-off-node"))

    assert re.findall(r'<tr class="misplaced"><td>(.*?)</td>', page) == ["rank:1"]
    assert "<tr><td>rank:0</td>" in page


def test_the_heading_claims_no_more_than_the_verdict(host):
    assert '<h1>numaaudit: <span class="fail">fail</span></h1>' in written(host("2p-2n-2g-rank-off-node"))
