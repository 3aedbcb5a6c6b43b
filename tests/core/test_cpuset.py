"""Sets of CPUs and NUMA nodes: two notations, the algebra of sets, and limits."""

import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.core.cpuset import MAX_CPU_ID, CpuSet, NodeSet
from numaaudit.core.errors import ParseError

ids = st.sets(st.integers(0, 700), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set()),
        ("\n", set()),
        ("0\n\0", {0}),
        ("0-1,3", {0, 1, 3}),
        ("0-63,128-191", set(range(64)) | set(range(128, 192))),
        ("0,2,4", {0, 2, 4}),
        ("0-6:2", {0, 2, 4, 6}),
        ("0-7:2/4", {0, 1, 4, 5}),
        ("3,1", {1, 3}),
    ],
)
def test_reads_lists(text, expected):
    assert expected == CpuSet.parse(text).ids()


@pytest.mark.parametrize("text", ["3-1", "a", "1-", "-1", "0--3", "0-3:0", "0-3:3/2", "1 2", "0-999999999", "65536", "٣"])
def test_refuses_what_is_no_list(text):
    with pytest.raises(ParseError):
        CpuSet.parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3f", set(range(6))),
        ("ffffffff,00000003", set(range(32, 64)) | {0, 1}),
        ("0xff", set(range(8))),
        ("00000000", set()),
        ("1,00000000", {32}),
    ],
)
def test_reads_masks(text, expected):
    assert expected == CpuSet.from_mask(text).ids()


@pytest.mark.parametrize("text", ["", "g", "0x", "f" * 20_000, ",".join(["ffffffff"] * 2_049)])
def test_refuses_what_is_no_mask(text):
    with pytest.raises(ParseError):
        CpuSet.from_mask(text)


@given(ids)
def test_a_list_reads_back(numbers):
    assert CpuSet.parse(str(CpuSet(numbers))).ids() == numbers


@given(ids)
def test_short_is_the_same_set(numbers):
    assert CpuSet.parse(CpuSet(numbers).short) == CpuSet(numbers)


def test_short_has_a_stride():
    assert CpuSet(range(1, 64, 2)).short == "1-63:2"


@given(ids)
def test_mask_and_list_agree(numbers):
    mask = sum(1 << number for number in numbers)
    words = [f"{mask >> 32 * place & 0xFFFFFFFF:08x}" for place in range(mask.bit_length() // 32, -1, -1)]

    assert CpuSet.from_mask(",".join(words)) == CpuSet(numbers)


@given(ids, ids)
def test_the_algebra_is_that_of_sets(a, b):
    left, right = CpuSet(a), CpuSet(b)

    assert ((left & right).ids(), (left | right).ids(), (left - right).ids()) == (a & b, a | b, a - b)
    assert (left <= right, left < right, left.isdisjoint(right), left == right) == (a <= b, a < b, a.isdisjoint(b), a == b)
    assert (len(left), bool(left), sorted(left), 7 in left) == (len(a), bool(a), sorted(a), 7 in a)


def test_a_union_has_the_ids_of_all():
    assert CpuSet.union(CpuSet.parse(text) for text in ("0-1", "", "1,8")) == CpuSet.parse("0-1,8")
    assert NodeSet.union([]) == NodeSet()


def test_cpus_and_numa_nodes_do_not_mix():
    with pytest.raises(TypeError):
        CpuSet([0]) & NodeSet([0])  # type: ignore[operator]
    assert CpuSet([0]) != NodeSet([0])


def test_limits_are_per_kind():
    assert MAX_CPU_ID in CpuSet([MAX_CPU_ID])
    with pytest.raises(ParseError):
        NodeSet.parse("4096")


def test_is_immutable_and_hashable():
    with pytest.raises(AttributeError):
        CpuSet([1])._bits = 3  # type: ignore[misc]
    assert {CpuSet([1]): 1}[CpuSet.parse("1")] == 1
    assert pickle.loads(pickle.dumps(CpuSet([1, 2]))) == CpuSet([1, 2])  # noqa: S301  (our own bytes)


@given(st.integers(0, 40), st.integers(0, 200), st.integers(1, 30), st.data())
def test_a_stride_takes_the_first_of_every_group(first, span, group, data):
    used = data.draw(st.integers(1, group))
    expected = {number for number in range(first, first + span + 1) if (number - first) % group < used}

    assert expected == CpuSet.parse(f"{first}-{first + span}:{used}/{group}").ids()


def test_a_set_of_every_second_id_up_to_the_limit_reads_back():
    evens = CpuSet.parse("0-65535:2")

    assert (32_768, "0,2,4,6") == (len(evens), str(evens)[:7])
    assert evens == CpuSet.parse(str(evens))


@pytest.mark.parametrize("part", ["0-65535:2", "0-65535:1/999999999", "65535", "0-65535"])
def test_a_hostile_list_costs_no_more_than_seconds(part):
    text = ",".join([part] * (MAX_CPU_ID * 8 // (len(part) + 1)))
    began = time.process_time()
    CpuSet.parse(text)

    assert time.process_time() - began < 15


def test_a_text_longer_than_any_list_is_refused():
    with pytest.raises(ParseError, match="longer than any list"):
        NodeSet.parse("0," * 40_000 + "0")
