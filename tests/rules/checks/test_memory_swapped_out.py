"""NA305: memory in swap."""

import pytest


@pytest.fixture
def swapped(root):
    """Both ranks with a VmSwap line."""

    def make(kib):
        entries = root("2p-2n-2g")
        for pid, size in ((100, 0), (101, kib)):
            path = f"root/proc/{pid}/status"
            entries[path] = entries[path].replace("Threads:", f"VmSwap:\t{size:8} kB\nThreads:")
        return entries

    return make


@pytest.mark.parametrize("kib", [0, 65535])
def test_silent_for_little(swapped, build, outcomes, kib):
    assert outcomes(build(swapped(kib)), "NA305") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_much_is_a_note(swapped, build, outcomes, judge):
    host = build(swapped(1048576))

    assert outcomes(host, "NA305") == {("rank:0", "pass"), ("rank:1", "fail")}
    failure = next(each for each in judge(host, "NA305") if each.thresholds)
    assert (failure.facts["swapped_mib"], failure.thresholds) == (1024, {"swapped_mib": 64})
    assert [each.text for each in failure.evidence] == ["VmSwap:\t 1048576 kB"]


def test_unknown_without_the_line(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA305") == {("rank:0", "unknown"), ("rank:1", "unknown")}
