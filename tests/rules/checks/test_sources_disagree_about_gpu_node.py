"""NA801: two sources, two NUMA nodes."""

from numaaudit.rules.finding import Outcome, Severity

TOPO = "commands/nvidia-smi_topo_-m.out"
TABLE = (
    "\t\x1b[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tSYS\t0-1,4-5\t0\t\tN/A\nGPU1\tSYS\t X \t{}\t{}\t\tN/A\n\nLegend:\n\n  X    = Self\n"
)
AGREE, DISAGREE = TABLE.format("2-3,6-7", 1), TABLE.format("0-1,4-5", 0)


def the_failure(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_where_sources_agree(root, build, outcomes):
    entries = root("2p-2n-2g") | {TOPO: AGREE}

    assert outcomes(build(entries), "NA801") == {("gpu:0000:17:00.0", "pass"), ("gpu:0000:98:00.0", "pass")}


def test_names_both_sources_and_the_one_that_is_used(root, build, judge):
    failure = the_failure(judge(build(root("2p-2n-2g") | {TOPO: DISAGREE}), "NA801"))

    assert (failure.subject, failure.severity) == ("gpu:0000:98:00.0", None)
    used = {name: failure.facts[name] for name in ("used", "used_source", "other", "other_source")}
    assert used == {"used": 1, "used_source": "sysfs", "other": 0, "other_source": "nvidia-smi"}
    assert failure.related == ("rank:1", "numa_node:1", "numa_node:0")


def test_low_within_one_package(root, in_one_package, build, judge):
    entries = in_one_package(root("2p-2n-2g")) | {TOPO: DISAGREE}

    assert the_failure(judge(build(entries), "NA801")).severity is Severity.LOW


def test_what_is_only_derived_from_a_bridge_is_a_note(root, build, judge):
    port = "root/sys/devices/pci0000:97/0000:97:01.0"
    bridge = {"root/sys/bus/pci/devices/0000:97:01.0": "@../../../devices/pci0000:97/0000:97:01.0", f"{port}/class": "0x060400\n"}
    changed = {TOPO: AGREE, f"{port}/numa_node": "0\n", f"{port}/0000:98:00.0/numa_node": "-1\n"}

    failure = the_failure(judge(build(root("2p-2n-2g") | bridge | changed), "NA801"))

    assert (failure.severity, failure.facts["used_source"], failure.facts["other_source"]) == (Severity.INFO, "nvidia-smi", "derived")


def test_unknown_where_no_source_is_left(root, build, outcomes):
    gpu = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
    entries = root("2p-2n-2g") | {f"{gpu}/numa_node": "-1\n", f"{gpu}/local_cpulist": "0-7\n"}

    assert outcomes(build(entries), "NA801") == {("gpu:0000:17:00.0", "pass"), ("gpu:0000:98:00.0", "unknown")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    entries = on_one_numa_node(root("2p-2n-2g")) | {TOPO: DISAGREE}

    assert outcomes(build(entries), "NA801") == {("gpu:0000:17:00.0", "not_applicable"), ("gpu:0000:98:00.0", "not_applicable")}
