"""Sampled pages in a comparison: what the intervals leave open is not known, and nothing is restored by it."""

import pytest

from numaaudit.compare.from_document import snapshot_of_document
from numaaudit.compare.snapshot import Pages, alike, decided, is_decided
from numaaudit.report.host_json import host_document

GIB = 1 << 30
COUNTED = Pages({0: 4 * GIB})


def of(low, high, size=4 * GIB):
    """A sample of which that share is on NUMA node 0."""
    share = (low + high) / 2
    return Pages({0: int(size * share), 1: int(size * (1 - share))}, {0: (low, high), 1: (1 - high, 1 - low)})


@pytest.mark.parametrize(
    ("a", "b", "is_alike", "is_sure"),
    [
        (of(0.99, 1.0), COUNTED, True, True),
        (of(0.99, 1.0), of(0.98, 1.0), True, True),
        (of(0.5, 0.52), of(0.6, 0.62), False, True),
        (of(0.93, 0.97), COUNTED, True, False),
        (of(0.5, 0.54), of(0.53, 0.57), True, False),
        (of(0.4, 0.6), of(0.4, 0.6), True, True),
        (of(0.0, 1.0, 1 << 20), of(0.0, 1.0, 1 << 21), True, True),
    ],
    ids=["sample and count", "two samples", "two that differ", "one may differ", "both may", "the same", "small"],
)
def test_two_samples_are_alike_within_their_intervals_and_surely_so_only_as_a_whole(a, b, is_alike, is_sure):
    assert (alike(a, b), is_decided(a, b)) == (is_alike, is_sure)
    assert (alike(b, a), is_decided(b, a)) == (is_alike, is_sure)


def test_a_sample_that_leaves_it_open_is_not_known_and_a_count_stays():
    assert decided((COUNTED, of(0.93, 0.97))) == (COUNTED, None)
    assert decided((COUNTED, of(0.99, 1.0))) == (COUNTED, of(0.99, 1.0))
    assert decided((of(0.93, 0.97), COUNTED)) == (None, COUNTED)
    assert decided((of(0.93, 0.97), of(0.99, 1.0))) == (of(0.93, 0.97), None)
    assert decided(("0-1", None)) == ("0-1", None)


@pytest.fixture
def drawn(same, sampled):
    """The host whose rank 1 was sampled: so many of 4,000 pages on NUMA node 0."""

    def make(off, state=same, pid=101):
        return state | sampled(state.entries, pid, "default", {"anon": (4096, {0: off, 1: 4000 - off})})

    return make


def test_equal_samples_are_equal(drawn, compared):
    made = compared(drawn(0), drawn(0))

    assert (made.verdict, made.rows) == ("equal", ())


def test_pages_that_surely_moved_are_a_change(drawn, compared):
    made = compared(drawn(0), drawn(600))

    assert [(row.subject, row.aspect, row.state) for row in made.rows] == [("rank:1", "anonymous_pages", "changed")]


def test_pages_that_may_have_moved_are_not_compared(drawn, compared):
    made = compared(drawn(0), drawn(180))

    assert made.rows == ()
    assert ("anonymous_pages", ("rank:1",)) in {(each.aspect, each.subjects) for each in made.unseen}


def test_restored_where_the_sample_is_surely_as_it_was(drawn, same, compared):
    assert compared(drawn(0), drawn(3000), drawn(4, same.restarted(), 801)).verdict == "restored"


def test_never_restored_by_a_sample_that_may_be_another(drawn, same, compared):
    assert compared(drawn(0), drawn(3000), drawn(200, same.restarted(), 801)).verdict == "undecidable"


def test_a_sample_in_json_compares_as_the_bundle_does(drawn, build, snapshot):
    document = snapshot_of_document(host_document(build(drawn(600).entries)), "x.json")
    pages = {role.number: role.facts["anonymous_pages"] for role in document.roles}
    of_bundle = {role.number: role.facts["anonymous_pages"] for role in snapshot(drawn(600)).roles}

    assert alike(pages[1], of_bundle[1])
    assert is_decided(pages[1], of_bundle[1])
    assert pages[1].ranges == {number: (round(low, 4), round(high, 4)) for number, (low, high) in of_bundle[1].ranges.items()}
