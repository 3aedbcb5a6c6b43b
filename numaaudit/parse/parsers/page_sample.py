"""``samples/pages-PID.json``: what collect/sampler.py found of a large process's pages, format ``numaaudit.pages/1``.

Estimates in it are for people: they are made anew from the counts (model/sampled.py).
"""

from typing import Any, NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import by_numa_node, optional, read_object, required, typed
from numaaudit.parse.parser import Parser

FORMAT = "numaaudit.pages/1"
_MOST_PAGES = 1 << 52  # of 4 KiB: all addresses there are
_MOST_STRATA = 1000


class SampledStratum(NamedTuple):
    """Mappings of one kind (core/page_kinds.py) and one order of magnitude, and the pages drawn from them."""

    kind: str
    pages: int  # of address space
    asked: int
    present_by_node: tuple[tuple[int, int], ...]  # (NUMA node, pages), ascending, none of 0

    @property
    def present(self) -> int:
        return sum(count for _, count in self.present_by_node)


class PageSample(NamedTuple):
    """One process. ``resident_bytes``: the sizes of /proc/PID/status by their names, without those that it did not have."""

    pid: int
    start_ticks: int
    page_bytes: int
    resident_bytes: dict[str, int]
    strata: tuple[SampledStratum, ...]


def parse(text: str) -> PageSample:
    """ParseError for another format, and for counts that cannot be."""
    document = read_object(text)
    if document.get("format") != FORMAT:
        raise ParseError(f"not of the format {FORMAT}")
    sizes, strata = required(document, "resident_bytes", dict), required(document, "strata", list)
    if len(strata) > _MOST_STRATA:
        raise ParseError(f"more than {_MOST_STRATA} strata")
    return PageSample(
        _count(document, "pid"),
        _count(document, "start_ticks"),
        _count(document, "page_bytes", least=1),
        {str(name): _count(sizes, name) for name in sizes if optional(sizes, name, int) is not None},
        tuple(_stratum(typed(each, dict, "a stratum")) for each in strata),
    )


def _stratum(found: dict[str, Any]) -> SampledStratum:
    by_node = by_numa_node(found, "present_by_node")
    counts = tuple((number, count) for number, value in by_node.items() if (count := _counted(value, "present_by_node")))
    stratum = SampledStratum(required(found, "kind", str), _count(found, "pages", least=1), _count(found, "asked"), counts)
    if stratum.present > stratum.asked:
        raise ParseError("more pages are present than were asked for")
    return stratum


def _count(owner: dict[str, Any], name: str, least: int = 0) -> int:
    return _counted(owner.get(name), name, least)


def _counted(value: object, name: str, least: int = 0) -> int:
    number = typed(value, int, name)
    if not least <= number <= _MOST_PAGES:
        raise ParseError(f"{name} is no number that can be")
    return number


PARSER = Parser(parse, reads=("samples/pages-[0-9]*.json",))
