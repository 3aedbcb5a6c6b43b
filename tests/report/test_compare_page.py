"""What a comparison says, before any writer lays it out."""

import pytest

from numaaudit.compare.diff import Comparison
from numaaudit.compare.findings import FindingRow, state_of
from numaaudit.compare.snapshot import Recorded, Snapshot
from numaaudit.model.hardware_class import HardwareClass
from numaaudit.report.compare_page import make_compare_page
from numaaudit.report.view import Input


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (("fail", "pass"), "fixed"),
        (("fail", "pass", "pass"), "fixed"),
        (("fail", "pass", "unknown"), "fixed"),
        (("fail", "pass", "fail"), "fixed, then back"),
        (("pass", "fail", "pass"), "new, then gone"),
        (("pass", "fail", "unknown"), "new"),
        (("fail", "fail", "pass"), "unchanged"),
    ],
)
def test_a_finding_that_came_back_is_not_fixed(outcomes, told):
    row = FindingRow(Recorded("k", "NA201", "some-rule", "rank:1", "fail", "high"), outcomes, state_of(*outcomes[:2]))
    sides = (Snapshot("bundle", None, HardwareClass({}), None, {}, None, (), "1", None),) * len(outcomes)

    page = make_compare_page(Comparison("same", (), (), (row,), (), "changed"), sides, (Input("x", "bundle", None),) * len(sides))

    assert [text.partition(":")[0] for text in page.findings] == [told]
