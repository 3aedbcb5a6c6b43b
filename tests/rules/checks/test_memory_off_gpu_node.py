"""NA301: memory that feeds a GPU and lies elsewhere."""

import pytest

from numaaudit.bundle.tree import Gap
from numaaudit.rules.finding import Confidence, Outcome, Severity

MAPS = "root/proc/101/numa_maps"
PASS, FAIL, UNKNOWN = ({("rank:0", "pass"), ("rank:1", outcome)} for outcome in ("pass", "fail", "unknown"))
MIB = 256  # pages of 4 KiB


@pytest.fixture
def of(root, build):
    """The host whose rank 1 has these lines in numa_maps."""
    return lambda *lines: build(root("2p-2n-2g") | {MAPS: "".join(f"{line}\n" for line in lines)})


def line(policy, where, size="kernelpagesize_kB=4", what="anon=1 dirty=1", start="7f0000000000"):
    return f"{start} {policy} {what} {where} {size}"


def the_failure(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_where_all_memory_is_local(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA301") == PASS


def test_names_the_rank_whose_memory_lies_on_the_other_numa_node(of, judge):
    failure = the_failure(judge(of(line("default", f"N0={400 * MIB} N1={600 * MIB}")), "NA301"))

    assert (failure.subject, failure.severity) == ("rank:1", None)
    assert {name: failure.facts[name] for name in ("off_mib", "total_mib", "percent")} == {"off_mib": 400, "total_mib": 1000, "percent": 40}
    assert [(each.path, each.line) for each in failure.evidence] == [
        (MAPS, 1),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", 1),
        ("root/sys/devices/system/node/node1/cpulist", 1),
    ]


def test_high_where_most_of_it_is_elsewhere(of, judge):
    failure = the_failure(judge(of(line("default", f"N0={600 * MIB} N1={400 * MIB}")), "NA301"))

    assert failure.severity is Severity.HIGH
    assert failure.thresholds == {"off_node_share": 0.1, "off_node_mib": 256, "high_share": 0.5}


@pytest.mark.parametrize("where", [f"N0={100 * MIB} N1={900 * MIB}", f"N0={256 * MIB} N1={300 * MIB}"], ids=["a tenth", "256 MiB"])
def test_silent_at_its_thresholds(of, outcomes, where):
    assert outcomes(of(line("default", where)), "NA301") == PASS


def test_what_its_numa_node_could_not_hold_has_to_spill(of, outcomes):
    """NUMA node 1 has 16000 MiB."""
    assert outcomes(of(line("default", f"N0={4200 * MIB} N1={15800 * MIB}")), "NA301") == PASS


def test_more_than_has_to_spill_fails_by_the_rest(of, judge):
    failure = the_failure(judge(of(line("default", f"N0={11000 * MIB} N1={9000 * MIB}")), "NA301"))

    assert (failure.severity, failure.facts["off_mib"], failure.facts["total_mib"]) == (None, 11000, 20000)


def test_huge_pages_count_by_their_own_size(of, judge):
    huge = line("default", "N0=200", "kernelpagesize_kB=2048", "file=/anon_hugepage\\040(deleted) huge dirty=200")
    failure = the_failure(judge(of(huge, line("default", f"N1={600 * MIB}")), "NA301"))

    assert {name: failure.facts[name] for name in ("off_mib", "total_mib")} == {"off_mib": 400, "total_mib": 1000}


@pytest.mark.parametrize("file", ["/dev/zero\\040(deleted)", "/dev/nvidiactl", "/dev/shm/own", "/memfd:buffer\\040(deleted)"])
def test_pinned_and_shared_memory_counts(of, outcomes, file):
    assert outcomes(of(line("default", f"N0={400 * MIB}", what=f"file={file} dirty=1")), "NA301") == FAIL


@pytest.mark.parametrize("file", ["/usr/lib/libtorch.so", "/models/weights.safetensors", "/dev/nvidia0"])
def test_text_page_cache_and_apertures_do_not_count(of, outcomes, file):
    lines = line("default", f"N0={9000 * MIB}", what=f"file={file} mapped=1 mapmax=8"), line("default", f"N1={300 * MIB}")

    assert outcomes(of(*lines), "NA301") == PASS


def test_named_shared_memory_of_several_processes_does_not_count(root, build, outcomes):
    shared = line("default", f"N0={900 * MIB}", what="file=/dev/shm/ring dirty=1 mapmax=2") + "\n"
    entries = root("2p-2n-2g")
    entries |= {path: entries[path] + shared for path in ("root/proc/100/numa_maps", MAPS)}

    assert outcomes(build(entries), "NA301") == PASS


def test_an_even_interleave_is_what_was_asked_for(of, outcomes):
    assert outcomes(of(line("interleave:0-1", f"N0={500 * MIB} N1={500 * MIB}")), "NA301") == PASS


def test_the_excess_over_an_interleave_counts(of, judge):
    failure = the_failure(judge(of(line("interleave:0-1", f"N0={900 * MIB} N1={100 * MIB}")), "NA301"))

    assert failure.facts["off_mib"] == 400


def test_pages_on_a_gpus_memory_are_no_remote_memory(root, build, outcomes):
    node2 = {
        "root/sys/devices/system/node/node2/cpulist": "\n",
        "root/sys/devices/system/node/node2/meminfo": "Node 2 MemTotal: 97000000 kB\nNode 2 MemFree: 96000000 kB\n",
        "root/sys/devices/system/node/node0/distance": "10 21 80\n",
        "root/sys/devices/system/node/node1/distance": "21 10 80\n",
        "root/sys/devices/system/node/node2/distance": "80 80 10\n",
        "root/proc/driver/nvidia/gpus/0000:98:00.0/numa_status": "Node: 2\nStatus: online\n",
    }
    entries = root("2p-2n-2g") | node2 | {MAPS: line("default", f"N1={600 * MIB} N2={600 * MIB}") + "\n"}

    assert outcomes(build(entries), "NA301") == PASS


def test_a_numa_node_without_memory_is_served_by_the_nearest(root, build, outcomes):
    entries = root("2p-2n-2g") | {"root/sys/devices/system/node/node1/meminfo": "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n"}

    assert outcomes(build(entries | {MAPS: line("default", f"N0={900 * MIB}") + "\n"}), "NA301") == PASS


def test_a_note_within_one_package(root, in_one_package, build, judge):
    entries = in_one_package(root("2p-2n-2g")) | {MAPS: line("default", f"N0={900 * MIB}") + "\n"}

    assert the_failure(judge(build(entries), "NA301")).severity is Severity.INFO


def test_unknown_where_only_the_first_bytes_were_read(root, build, judge):
    (judged,) = (
        each for each in judge(build(root("2p-2n-2g") | {MAPS: "7f0000000000 bind:1 anon=76"}), "NA301") if each.subject == "rank:1"
    )

    assert (judged.outcome, [gap.kind for gap in judged.gaps]) == (Outcome.UNKNOWN, ["cut"])
    assert "cat /proc/101/numa_maps" in judged.gaps[0].reason


def test_unknown_where_pages_have_no_size(of, outcomes):
    assert outcomes(of(line("default", f"N0={900 * MIB}", size="")), "NA301") == UNKNOWN


def test_unknown_without_numa_maps(root, removed, build, outcomes):
    assert outcomes(build(removed(root("2p-2n-2g"), MAPS)), "NA301") == UNKNOWN


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    entries = on_one_numa_node(root("2p-2n-2g"))

    assert outcomes(build(entries), "NA301") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


# -- of a process above the guard


@pytest.fixture
def drawn(root, build, sampled):
    """The host whose rank 1 was sampled: 4 GiB, of which so many of 4,000 random pages lie on the other NUMA node."""

    def make(off, policy="default", strata=None, **resident):
        found = strata or {"anon": (4096, {0: off, 1: 4000 - off})}
        return build(sampled(root("2p-2n-2g"), 101, policy, found, **resident))

    return make


def test_a_sample_below_the_limit_passes(host, outcomes):
    assert outcomes(host("2p-2n-2g-sampled"), "NA301") == PASS


def test_a_sample_above_the_limit_fails_and_is_likely(drawn, judge):
    failure = the_failure(judge(drawn(1600), "NA301"))

    assert (failure.subject, failure.severity, failure.confidence, failure.message) == ("rank:1", None, Confidence.LIKELY, "sampled")
    names = ("total_mib", "percent", "percent_low", "percent_high", "num_pages")
    assert {name: failure.facts[name] for name in names} == {
        "total_mib": 4096,
        "percent": 40,
        "percent_low": 38,
        "percent_high": 42,
        "num_pages": 4000,
    }
    assert (failure.evidence[0].path, failure.evidence[0].line) == ("samples/pages-101.json", None)


def test_a_sample_of_what_has_to_spill_passes(drawn, outcomes):
    assert outcomes(drawn(0, strata={"anon": (20000, {0: 800, 1: 3200})}), "NA301") == PASS


def test_a_sample_is_high_only_where_the_whole_interval_is(drawn, judge):
    assert the_failure(judge(drawn(2100), "NA301")).severity is Severity.HIGH
    assert the_failure(judge(drawn(2020), "NA301")).severity is None


@pytest.mark.parametrize(("off", "expected"), [(350, PASS), (400, UNKNOWN), (450, FAIL)])
def test_what_the_interval_does_not_decide_is_unknown(drawn, outcomes, off, expected):
    assert outcomes(drawn(off), "NA301") == expected


def test_an_undecided_sample_names_the_command_that_decides(drawn, judge):
    (judged,) = (each for each in judge(drawn(400), "NA301") if each.subject == "rank:1")

    assert judged.gaps == (
        Gap(
            "cut",
            "samples/pages-101.json",
            "9 to 11 % of its memory lie on other NUMA nodes, which does not decide; run: numaaudit collect --pid 101 --pages full",
        ),
    )


def test_few_present_pages_are_unknown(drawn, outcomes):
    assert outcomes(drawn(0, strata={"anon": (4096, {0: 399, -1: 19000})}), "NA301") == UNKNOWN


def test_much_memory_that_hid_from_the_sample_is_unknown(drawn, outcomes):
    assert outcomes(drawn(0, RssAnon=6000), "NA301") == UNKNOWN


def test_little_memory_elsewhere_passes_whatever_its_share(drawn, outcomes):
    assert outcomes(drawn(0, strata={"anon": (1100, {0: 700, 1: 3300})}), "NA301") == PASS


@pytest.mark.parametrize(("off", "expected"), [(2000, PASS), (3000, FAIL)])
def test_a_sampled_interleave_is_judged_by_its_excess(drawn, outcomes, off, expected):
    assert outcomes(drawn(off, "interleave:0-1"), "NA301") == expected


def test_a_refused_sample_leaves_it_unknown(root, build, outcomes):
    entries = root("2p-2n-2g-sampled")
    del entries["samples/pages-101.json"]

    assert outcomes(build(entries), "NA301") == UNKNOWN
