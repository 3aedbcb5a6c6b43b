from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numaaudit.core.errors import ParseError
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.parse.parsers.numa_maps import PARSER, Mapping, MappingTotal, NumaMaps, mappings, parse

KIB, MIB = 1 << 10, 1 << 20
POLICY = MemPolicy.parse


def total(
    policy: str, kind: str, file: str | None, num_mappings: int, sizes: dict[int, int], unsized: dict[int, int] | None = None
) -> MappingTotal:
    return MappingTotal(POLICY(policy), kind, file, num_mappings, tuple(sizes.items()), tuple((unsized or {}).items()))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("00400000 default file=/usr/bin/python3.11 mapped=12 mapmax=3 N1=12 kernelpagesize_kB=4",
         total("default", "file", "/usr/bin/python3.11", 1, {1: 48 * KIB})),
        ("7f1000000000 prefer (many)=static:0,2,4 anon=512 dirty=512 N0=512 kernelpagesize_kB=4",
         total("prefer (many)=static:0,2,4", "anon", None, 1, {0: 2 * MIB})),
        ("7f2000000000 weighted interleave:0-1 anon=4 dirty=4 N0=3 N1=1 kernelpagesize_kB=4",
         total("weighted interleave:0-1", "anon", None, 1, {0: 12 * KIB, 1: 4 * KIB})),
        (r"7f3000000000 bind=static|balancing:0-1 file=/anon_hugepage\040(deleted) huge anon=2 dirty=2 N0=2 kernelpagesize_kB=2048",
         total("bind=static|balancing:0-1", "hugetlb", r"/anon_hugepage\040(deleted)", 1, {0: 4 * MIB})),
        ("7f3000000000 default file=/dev/hugepages/pool huge dirty=1 N7=1 kernelpagesize_kB=1048576",
         total("default", "hugetlb", "/dev/hugepages/pool", 1, {7: 1024 * MIB})),
        ("7f4000000000 default file=/dev/nvidia0", total("default", "device", "/dev/nvidia0", 1, {})),
        ("7f5000000000 default file=/dev/nvidiactl dirty=256 N1=256 kernelpagesize_kB=4",
         total("default", "device", "/dev/nvidiactl", 1, {1: MIB})),
        (r"7f6000000000 bind:0 file=/data/my\040model\075v1.bin dirty=2048 active=0 N1=2048 kernelpagesize_kB=4",
         total("bind:0", "file", r"/data/my\040model\075v1.bin", 1, {1: 8 * MIB})),
        ("7f6000000000 default file=/dev/shm/nccl-x dirty=1 N0=1 kernelpagesize_kB=64",
         total("default", "shm", "/dev/shm/nccl-x", 1, {0: 64 * KIB})),
        (r"7f6000000000 default file=/memfd:pool\040(deleted)", total("default", "shm", r"/memfd:pool\040(deleted)", 1, {})),
        (r"7f6000000000 default file=/dev/zero\040(deleted) dirty=1 N0=1 kernelpagesize_kB=4",
         total("default", "shm", r"/dev/zero\040(deleted)", 1, {0: 4 * KIB})),
        (r"7f6000000000 default file=/SYSV00000000\040(deleted) huge dirty=5 N1=5 kernelpagesize_kB=2048",
         total("default", "hugetlb", r"/SYSV00000000\040(deleted)", 1, {1: 10 * MIB})),
        ("55d74e700000 default heap anon=470 dirty=470 active=0 N0=470 kernelpagesize_kB=4",
         total("default", "anon", None, 1, {0: 1880 * KIB})),
        ("55d74e700000 local heap huge anon=1 dirty=1 N0=1 kernelpagesize_kB=2048", total("local", "hugetlb", None, 1, {0: 2 * MIB})),
        ("7ffc00000000 local stack:4711 anon=3 dirty=3 N3=3", total("local", "anon", None, 1, {}, {3: 3})),
        ("7ffc00000000 default anon=3 dirty=3 N3=3 N1=2", total("default", "anon", None, 1, {}, {1: 2, 3: 3})),
        ("7ffc00000000 default", total("default", "anon", None, 1, {})),
        ("    7ffc00000000 default stack anon=3 dirty=3 N3=3 kernelpagesize_kB=4", total("default", "anon", None, 1, {3: 12 * KIB})),
        ("7ffc00000000 default stack anon=3 dirty=3 N3=3 kernelpagesize_kB=4\r", total("default", "anon", None, 1, {3: 12 * KIB})),
        ("7ffc00000000 brand new policy:0 anon=3 dirty=3 N3=3 kernelpagesize_kB=4",
         total("brand new policy:0", "anon", None, 1, {3: 12 * KIB})),
        ("7ffc00000000 default N3=3 kernelpagesize_kB=4 anon=3 brandnew=1", total("default", "anon", None, 1, {3: 12 * KIB})),
    ],
)  # fmt: skip
def test_every_kind_of_line_is_added_up(line: str, expected: MappingTotal) -> None:
    assert parse(line + "\n") == NumaMaps(expected.policy, (expected,), 1, False, 0)


THREE = """\
55d74c100000 bind:0 file=/usr/bin/python3.11 mapped=2 N0=2 kernelpagesize_kB=4
7f3bc0000000 bind:0 anon=7 dirty=7 N0=3 N1=4 kernelpagesize_kB=4
7f3bd0000000 default anon=7 dirty=7 N0=5 N1=4 kernelpagesize_kB=4
7f3be0000000 bind:0 file=/dev/nvidiactl dirty=1 N1=1 kernelpagesize_kB=4
"""


def test_bytes_are_added_over_the_kinds_asked_for() -> None:
    maps = parse(THREE)
    assert (maps.bytes_by_node("anon"), maps.bytes_by_node("anon", "device"), maps.bytes_by_node()) == (
        {0: 32 * KIB, 1: 32 * KIB}, {0: 32 * KIB, 1: 36 * KIB}, {0: 40 * KIB, 1: 36 * KIB},
    )  # fmt: skip


def test_policies_are_counted_by_mapping_the_commonest_first() -> None:
    assert list(parse(THREE).policies().items()) == [("bind:0", 3), ("default", 1)]


def test_the_policy_of_the_task_is_that_of_the_first_line() -> None:
    assert parse(THREE).policy == POLICY("bind:0")


def test_lines_that_are_no_mapping_are_counted_and_left_out() -> None:
    text = THREE + "cat: /proc/1/numa_maps: Permission denied\n7f3bf0000000 default anon=1 N99999=1 kernelpagesize_kB=4\n\n"
    assert parse(text) == parse(THREE)._replace(num_unreadable=2)


@pytest.mark.parametrize("text", ["", "\0", "\n"])
def test_an_empty_file_is_a_kernel_thread(text: str) -> None:
    assert parse(text) == NumaMaps(None, (), 0, False, 0)


@pytest.mark.parametrize(
    "text",
    [
        "prose\n",
        "006dc000-006dd000 N1=1 kernelpagesize_kB=4 anon=1 dirty=1 file=/usr/bin/bash\n00965000-0096c000 -  heap\n",
        "prose",
        "00400000 ",
    ],
)
def test_a_text_without_any_mapping_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize(
    ("head", "policy"),
    [
        ("55d74c100000 default file=/usr/bin/python3.11 mapped=1 N0=1 kern", POLICY("default")),
        ("55d74c100000 bind:0-1 file=/opt/x/bin/python3.11 mapped=1 mapmax", POLICY("bind:0-1")),
        ("55d74c100000 prefer (many):0,2 file=/opt/x/bin/python3.11 mapped", POLICY("prefer (many):0,2")),
        (
            "55d74c100000 prefer (many)=static:0,2,4,6,8,10,12,14,16,18,20,2",
            POLICY("prefer (many)=static:0,2,4,6,8,10,12,14,16,18,20,2", cut=True),
        ),
        ("55d74c100000 prefer (ma", MemPolicy("prefer", None, (), POLICY("default").numa_nodes, False)),
        ("55d74c100000 default", POLICY("default")),
        ("55d74c100000 default file=/opt/x huge dirty=1 N0=1 kernelpagesize_kB=20", POLICY("default")),
    ],
)
def test_the_first_bytes_of_a_file_give_the_policy_and_no_more(head: str, policy: MemPolicy) -> None:
    assert parse(head) == NumaMaps(policy, (), 0, True, 0)


def test_whole_lines_before_a_cut_one_count() -> None:
    assert parse(THREE + "7f3bf0000000 defa") == parse(THREE)._replace(is_partial=True)


def test_a_last_line_that_only_lost_its_end_counts() -> None:
    assert parse(THREE.rstrip("\n")) == parse(THREE)


def test_every_mapping_can_be_had_by_itself() -> None:
    text = "prose\n7f3be0000000 bind:0 file=/a\\040b anon=2 dirty=1 N0=1 N1=3 kernelpagesize_kB=4\n00400000 default\n"
    assert list(mappings(text)) == [
        Mapping(2, 0x7F3BE0000000, POLICY("bind:0"), "file", "/a\\040b", 4096, ((0, 1), (1, 3)), 2),
        Mapping(3, 0x400000, POLICY("default"), "anon", None, None, (), 0),
    ]


LINE = st.builds(
    "{:x} {}{}{}{}{}".format,
    st.integers(0x10000000, 0x7FFFFFFFFFFF),
    st.sampled_from(["default", "bind:0-1", "prefer (many):0,2", "weighted interleave:0-1", "local", "bind=static|balancing:1"]),
    st.sampled_from(["", " file=/lib/a.so", " file=/dev/shm/x\\040y", " file=/dev/nvidiactl", " heap", " stack"]),
    st.sampled_from(["", " huge"]),
    st.sampled_from(["", " anon=1 dirty=1", " mapped=3 mapmax=2 active=0", " unheard=5"]),
    st.one_of(
        st.just(""),
        st.lists(st.tuples(st.integers(0, 4095), st.integers(1, 10**9)), min_size=1, max_size=3, unique_by=lambda pair: pair[0]).map(
            lambda pairs: "".join(f" N{numa_node}={pages}" for numa_node, pages in sorted(pairs)) + " kernelpagesize_kB=4"
        ),
    ),
)


@given(st.lists(st.one_of(LINE, st.sampled_from(["", "prose", "00400000 N0=1"])), min_size=1, max_size=30))
def test_adding_up_agrees_with_reading_mapping_by_mapping(lines: list[str]) -> None:
    text = "\n".join([*lines, "00400000 default", ""])
    by_kind: Counter[tuple[str, str, int]] = Counter()
    for mapping in mappings(text):
        for numa_node, pages in mapping.pages_by_node:
            by_kind[mapping.policy.text, mapping.kind, numa_node] += pages * (mapping.page_bytes or 0)
    added: Counter[tuple[str, str, int]] = Counter()
    maps = parse(text)
    for part in maps.totals:
        for numa_node, size in part.bytes_by_node:
            added[part.policy.text, part.kind, numa_node] += size
    assert (added, maps.num_mappings) == (by_kind, len(list(mappings(text))))


def test_a_pasted_text_is_recognised_once_and_ends_where_it_ends() -> None:
    pasted = f"$ cat /proc/7/numa_maps\n{THREE}$ echo done\n"
    assert [match[0] for match in PARSER.matches(pasted)] == [THREE.rstrip("\n")]


def test_ranges_without_a_policy_are_not_recognised() -> None:
    assert list(PARSER.matches("006dc000-006dd000 N1=1 kernelpagesize_kB=4 anon=1 dirty=1 file=/usr/bin/bash\n")) == []
