import json
from typing import Any

import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.page_sample import PageSample, SampledStratum, parse

STRATUM = {"kind": "anon", "mappings": 3, "pages": 9000, "asked": 500, "present": 450, "absent": 50, "present_by_node": {"10": 5, "1": 445}}
DOCUMENT = {
    "format": "numaaudit.pages/1",
    "pid": 7,
    "start_ticks": 100,
    "page_bytes": 4096,
    "resident_bytes": {"RssAnon": 1 << 30, "RssShmem": None, "HugetlbPages": 0},
    "strata": [STRATUM],
}


def with_stratum(**changed: Any) -> dict[str, Any]:
    return DOCUMENT | {"strata": [STRATUM | changed]}


def test_a_sample_gives_the_counts_of_each_stratum() -> None:
    expected = PageSample(7, 100, 4096, {"RssAnon": 1 << 30, "HugetlbPages": 0}, (SampledStratum("anon", 9000, 500, ((1, 445), (10, 5))),))

    assert parse(json.dumps(DOCUMENT)) == expected
    assert expected.strata[0].present == 450


def test_a_stratum_of_which_nothing_was_drawn_has_no_pages() -> None:
    assert parse(json.dumps(with_stratum(asked=0, present_by_node={"1": 0}))).strata == (SampledStratum("anon", 9000, 0, ()),)


@pytest.mark.parametrize(
    "document",
    [
        {},
        DOCUMENT | {"format": "numaaudit.pages/2"},
        DOCUMENT | {"pid": "7"},
        DOCUMENT | {"page_bytes": 0},
        DOCUMENT | {"resident_bytes": {"RssAnon": -1}},
        DOCUMENT | {"resident_bytes": {"RssAnon": "1 GiB"}},
        DOCUMENT | {"strata": {}},
        DOCUMENT | {"strata": [STRATUM] * 1001},
        DOCUMENT | {"strata": [7]},
        with_stratum(pages=0),
        with_stratum(pages=10**30),
        with_stratum(asked=True),
        with_stratum(present_by_node={"1": 501}),
        with_stratum(present_by_node={"-1": 1}),
        with_stratum(present_by_node={"9999": 1}),
        with_stratum(present_by_node={"²": 1}),
        with_stratum(kind=None),
    ],
)
def test_what_cannot_be_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(ParseError):
        parse(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", json.dumps(DOCUMENT)[:90]])
def test_a_cut_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
