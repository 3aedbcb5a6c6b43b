"""NA607: what nvidia-smi prints to a job that has no CPU beside one of its GPUs."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome

TOPO = "commands/nvidia-smi_topo_-m.out"
HEADER = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"


@pytest.fixture
def of(build):
    """A host of which only the table is known, with these affinity cells."""
    return lambda first, second: build({TOPO: f"{HEADER}GPU0\t X \tSYS\t{first}\t\tN/A\nGPU1\tSYS\t X \t{second}\t\tN/A\n"})


def test_names_the_gpu_whose_row_has_no_cpus(of, judge):
    second, first = judge(of("0-63\t0", "\t1"), "NA607")  # failures come first

    assert (first.outcome, second.outcome, second.confidence) == (Outcome.PASS, Outcome.FAIL, Confidence.LIKELY)
    assert (second.subject, second.related, str(second.facts["other_cpus"])) == ("gpu:#1", ("numa_node:1",), "0-63")
    assert [line.line for line in second.evidence] == [3, 2]


def test_silent_where_every_row_has_cpus(of, outcomes):
    assert outcomes(of("0-63\t0", "64-127\t1"), "NA607") == {("gpu:#0", "pass"), ("gpu:#1", "pass")}


@pytest.mark.parametrize("cells", ["\t0", "N/A\tN/A"])
def test_does_not_apply_where_no_row_has_cpus(of, outcomes, cells):
    assert outcomes(of(cells, cells), "NA607") == {("gpu:#0", "not_applicable"), ("gpu:#1", "not_applicable")}


def test_does_not_apply_where_the_numa_node_is_not_printed_either(of, outcomes):
    assert outcomes(of("0-63\t0", "N/A\tN/A"), "NA607") == {("gpu:#0", "pass"), ("gpu:#1", "not_applicable")}


def test_unknown_where_cells_ran_together(build, outcomes):
    text = f"{HEADER}GPU0  X  SYS  0-63  0  N/A\nGPU1  SYS  X  1  N/A\n"

    assert outcomes(build({TOPO: text}), "NA607") == {("gpu:#0", "pass"), ("gpu:#1", "unknown")}


def test_does_not_apply_where_ranks_are_known(root, build, outcomes):
    table = {TOPO: f"{HEADER}GPU0\t X \tSYS\t0-1\t0\t\tN/A\nGPU1\tSYS\t X \t\t1\t\tN/A\n"}

    assert outcomes(build(root("2p-2n-2g") | table), "NA607") == {("host", "not_applicable")}


def test_does_not_apply_without_the_table(build, outcomes):
    assert outcomes(build({}), "NA607") == {("host", "not_applicable")}
