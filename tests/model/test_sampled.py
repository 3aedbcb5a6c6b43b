"""What a sample of a process's pages says, and how sure."""

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.sampled import counted_kinds, percent, sample_of, sampled
from numaaudit.model.sections.processes import Processes

NONE = NodeSet()
ALL = frozenset({"anon", "pinned", "shm", "named-shm", "driver", "hugetlb"})
GIB = 1 << 30


@pytest.fixture
def process(root, build):
    """Rank 1's process after a change to its sample."""

    def make(change=lambda entries: entries):
        return build(change(root("2p-2n-2g-sampled"))).section(Processes).by_pid(101)

    return make


@pytest.fixture
def off(process, sampled):
    """What lies not on NUMA node 1, of such strata."""

    def make(strata, kinds=ALL, but=NONE, **resident):
        made = process(lambda entries: sampled_entries(entries, 101, "default", strata, **resident))
        return sampled_share(made, sample_of(made), kinds, lambda number: number != 1, but)

    sampled_entries, sampled_share = sampled, globals()["sampled"]
    return make


def rounded(interval):
    return tuple(round(value, 3) for value in interval)


def test_the_share_is_that_of_all_kinds_together_by_their_size(off):
    found = off({"anon": (3072, {0: 1000, 1: 3000}), "pinned": (1024, {1: 2000})})

    assert rounded(found.share) == (0.188, 0.177, 0.198)
    assert found.total_bytes.estimate == 4 * GIB
    assert found.num_bytes.low == pytest.approx(found.share.low * 4 * GIB, rel=0.01)
    assert (found.numa_nodes, found.num_pages) == (NodeSet({0}), 6000)


def test_a_kind_can_be_asked_for_by_itself(off):
    strata = {"anon": (3072, {0: 1000, 1: 3000}), "pinned": (1024, {1: 2000})}

    assert rounded(off(strata, {"anon"}).share) == (0.25, 0.237, 0.264)
    assert rounded(off(strata, {"pinned"}).share) == (0.0, 0.0, 0.002)


def test_pages_on_numa_nodes_that_are_left_out_do_not_count(off):
    found = off({"anon": (3072, {0: 1000, 1: 1000, 2: 2000})}, but=NodeSet({2}))

    assert rounded(found.share)[0] == 0.5
    assert found.total_bytes.estimate == 1.5 * GIB


@pytest.mark.parametrize(("present", "is_known"), [(399, False), (400, True)])
def test_fewer_than_four_hundred_present_pages_tell_nothing(off, present, is_known):
    found = off({"anon": (3072, {1: present})})

    assert isinstance(found, Gap) is not is_known


def test_the_gap_names_the_command_that_decides(off):
    assert off({"anon": (3072, {1: 30, -1: 5000})}) == Gap(
        "cut",
        "samples/pages-101.json",
        "30 of the pages that were asked for are present, fewer than 400; run: numaaudit collect --pid 101 --pages full",
    )


def test_memory_that_is_resident_and_was_not_found_may_be_anywhere(off):
    found = off({"anon": (3072, {1: 4000})}, RssAnon=4096)

    assert (found.share.low, round(found.share.high, 2)) == (0.0, 0.25)
    assert found.num_bytes.high == pytest.approx(GIB, rel=0.01)
    assert found.total_bytes.high == pytest.approx(4 * GIB, rel=0.01)


def test_what_is_missing_of_another_kind_does_not_matter(off):
    assert rounded(off({"anon": (3072, {1: 4000})}, {"anon"}, RssShmem=4096).share) == (0.0, 0.0, 0.001)


def test_copied_pages_of_files_count_as_found(off):
    found = off({"anon": (3072, {1: 4000}), "file": (1024, {1: 64})}, RssAnon=4096)

    assert rounded(found.share) == (0.0, 0.0, 0.001)


def test_a_kernel_that_does_not_say_what_is_resident_leaves_it_unknown(process):
    made = process(lambda entries: change_sample(entries, '"RssAnon": 3221225472', '"RssAnon": null'))
    found = sampled(made, sample_of(made), ALL, lambda number: number == 0)

    assert (found.kind, found.reason.partition(";")[0]) == ("cut", "the kernel does not say how much is resident (before Linux 4.5)")


def change_sample(entries, old, new):
    return entries | {"samples/pages-101.json": entries["samples/pages-101.json"].replace(old, new)}


def test_a_sample_stands_in_for_numa_maps_only_where_that_was_not_read_whole(process, root):
    whole = {"root/proc/101/numa_maps": root("2p-2n-2g")["root/proc/101/numa_maps"]}

    assert sample_of(process()).record.pid == 101
    assert sample_of(process(lambda entries: entries | whole)) is None


def test_a_sample_of_an_earlier_process_of_that_pid_is_none(process):
    made = process(lambda entries: change_sample(entries, '"start_ticks": 5000', '"start_ticks": 4999'))

    assert (sample_of(made), made.sample) == (None, Gap("gone", "samples/pages-101.json", "the sample is of another process"))


def test_named_shared_memory_counts_unless_another_process_has_some(root, build, sampled):
    entries = sampled(root("2p-2n-2g"), 101, "default", {"named-shm": (3072, {1: 4000})})
    ring = "7f2000000000 default file=/dev/shm/[redacted] dirty=9 N0=9 kernelpagesize_kB=4\n"
    alone = build(entries).section(Processes)
    both = build(entries | {"root/proc/100/numa_maps": entries["root/proc/100/numa_maps"] + ring}).section(Processes)

    assert counted_kinds(alone.by_pid(101), alone.all) == ALL
    assert counted_kinds(both.by_pid(101), both.all) == ALL - {"named-shm"}


def test_an_interval_is_printed_in_percent(off):
    assert percent(off({"anon": (3072, {0: 400, 1: 3600})}).share) == "9 to 11"
    assert percent(off({"anon": (3072, {0: 4000})}).share) == "99.9 to 100"
