import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.cpu_manager_state import PARSER, CpuAssignment, CpuManagerState, parse

TEXT = '{"policyName":"static","defaultCpuSet":"0-1,8-63","entries":{"0f1e-uid":{"engine":"2-3","sidecar":"4"}},"checksum":4076905443}'
ASSIGNED = (CpuAssignment("0f1e-uid", "engine", CpuSet.parse("2-3")), CpuAssignment("0f1e-uid", "sidecar", CpuSet.parse("4")))


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, CpuManagerState("static", CpuSet.parse("0-1,8-63"), ASSIGNED)),
        (TEXT + "[root@host kubelet]# ", CpuManagerState("static", CpuSet.parse("0-1,8-63"), ASSIGNED)),
        ('{"policyName":"none","defaultCpuSet":"","checksum":1}', CpuManagerState("none", CpuSet(), ())),
        ('{"policyName":"none","entries":null}', CpuManagerState("none", None, ())),
        ('{"policyName":"static","defaultCpuSet":"0","entries":{"3c0ffee":"5-6"}}',
         CpuManagerState("static", CpuSet.parse("0"), (CpuAssignment(None, "3c0ffee", CpuSet.parse("5-6")),))),
    ],
)  # fmt: skip
def test_both_versions_give_the_record(text: str, record: CpuManagerState) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text",
    [
        "",
        "prose",
        "[]",
        "{}",
        TEXT[:50],
        TEXT.replace('"2-3"', "23"),
        TEXT.replace("2-3", "3-2"),
        TEXT.replace('"static"', "true"),
        "[" * 100_000,
    ],
)
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_a_pasted_document_is_recognised() -> None:
    assert [bool(list(PARSER.matches(text))) for text in (TEXT, '{"policyName":"Static","machineState":{}}')] == [True, False]
