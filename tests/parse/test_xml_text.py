import pytest

from numaaudit.bundle.limits import LIMITS
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.xml_text import cpus_of, nodes_of, root_of


def test_finds_the_element_between_prompts() -> None:
    text = '$ cat x\n<?xml version="1.0" encoding="UTF-16"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a><b c="é"/></a>\n$ exit\n'
    assert [child.get("c") for child in root_of(text, "a")] == ["é"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<b/>", 1),
        ("\n\n<a><b></a>", 3),
        ("<a>\n&x;</a>", 2),
        ('<!DOCTYPE a [<!ENTITY x "y">]>\n<a>&x;</a>', 2),
        ('<a><!ENTITY x SYSTEM "file:///etc/passwd"></a>', 1),
        ("<a>\0</a>", 1),
        ("<a>\ud800</a>", 1),
        ("<a>" + " " * LIMITS.document_bytes + "</a>", 1),
    ],
    ids=["no element", "unclosed", "undefined entity", "internal subset", "entity", "NUL", "surrogate", "too long"],
)
def test_refuses_what_is_no_plain_xml(text: str, line: int) -> None:
    with pytest.raises(ParseError) as error:
        root_of(text, "a")
    assert error.value.line == line


def test_deep_nesting_is_read_or_refused() -> None:
    assert root_of("<a>" + "<b>" * 50_000 + "</b>" * 50_000 + "</a>", "a").tag == "a"


def test_empty_words_of_a_mask_are_zero() -> None:
    assert (cpus_of("0xf0000000,,0x00000101"), nodes_of("0x3")) == (CpuSet.parse("0,8,92-95"), NodeSet.parse("0-1"))


def test_masks_without_end_or_sense_are_unknown() -> None:
    assert [cpus_of(mask) for mask in (None, "0xf...f", "0xf...f,0x1", "x")] == [None] * 4
