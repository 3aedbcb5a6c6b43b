"""How joiners and rules say what they need."""

from typing import NamedTuple

import pytest

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import Tree
from numaaudit.model.join import Need, joiners, needs_of
from numaaudit.parse.parser import Found


class Record(NamedTuple):
    value: int


class Section(NamedTuple):
    value: int


def everything(
    tree: Tree, manifest: Manifest | None, records: tuple[Found[Record], ...], section: Section, other: Section | None
) -> Section:
    return section


def odd(wish: "list[int]") -> Section:
    return Section(len(wish))


def test_needs_are_read_from_the_signature():
    assert needs_of(everything) == (
        Need("input", Tree), Need("input", Manifest), Need("records", Record), Need("section", Section), Need("optional", Section),
    )  # fmt: skip


def test_a_need_that_means_nothing_is_refused():
    with pytest.raises(TypeError, match="cannot supply"):
        needs_of(odd)


def test_every_joiner_comes_after_what_it_needs():
    made = set()
    for joiner in joiners():
        assert {need.kind for need in needs_of(joiner.join) if need.shape == "section"} <= made
        made.add(joiner.section)
