import pytest

from numaaudit.core.cpuset import NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.memory_manager_state import ManagedMemory, MemoryAssignment, MemoryManagerState, parse

TEXT = (
    '{"policyName":"Static","machineState":{"1":{"numberOfAssignments":2,"memoryMap":{"memory":{"total":800,"systemReserved":100,'
    '"allocatable":700,"reserved":300,"free":400}},"cells":[0,1]}},"entries":{"0f1e-uid":{"engine":[{"numaAffinity":[1],"type":"memory",'
    '"size":300}]}},"checksum":1}'
)
RECORD = MemoryManagerState(
    "Static",
    (ManagedMemory(1, "memory", 800, 700, 300, 400, NodeSet((0, 1))),),
    (MemoryAssignment("0f1e-uid", "engine", NodeSet((1,)), "memory", 300),),
)


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, RECORD),
        (TEXT.replace('"cells"', '"nodes"') + "$ ", RECORD),
        ('{"policyName":"None","machineState":{},"entries":null,"podEntries":{}}', MemoryManagerState("None", (), ())),
    ],
)
def test_the_document_gives_the_record(text: str, record: MemoryManagerState) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        TEXT[:80],
        TEXT.replace('"1":{', '"x":{'),
        TEXT.replace('"1":{', '"99999":{'),
        TEXT.replace("[1]", "[-1]"),
        TEXT.replace("400", '"4"'),
    ],
)
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
