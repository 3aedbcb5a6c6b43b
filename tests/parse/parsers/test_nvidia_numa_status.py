import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.nvidia_numa_status import NvidiaNumaStatus, parse

TEXT = "Node:      4\nStatus:    online\nAddress:   480000000000\nSize:      17ae800000\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, NvidiaNumaStatus(4, "online", 0x17AE800000)),
        (TEXT.replace(" 4\n", " -1\n").replace("online", "offline"), NvidiaNumaStatus(None, "offline", 0x17AE800000)),
        ("Node: 0\nStatus: online\n\0", NvidiaNumaStatus(0, "online", None)),
    ],
)
def test_the_labels_give_the_record(text: str, record: NvidiaNumaStatus) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text", ["", "Node: 4\n", "Status: online\n", TEXT.replace(" 4\n", " 99999\n"), TEXT.replace("17ae800000", "0x17")]
)
def test_a_cut_or_impossible_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
