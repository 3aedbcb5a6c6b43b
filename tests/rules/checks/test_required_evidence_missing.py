"""NA802: what every verdict needs."""

import re

import pytest

from numaaudit.rules.finding import Outcome


def test_silent_where_numa_nodes_gpus_and_ranks_are_known(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA802") == {("host", "pass")}


@pytest.mark.parametrize(
    ("parts", "reasons"),
    [
        (("/system/node/", "numactl", "lscpu"), ["no source lists the CPUs of any NUMA node"]),
        (("root/proc/1",), ["no process is known to serve a GPU, of 0 in the evidence"]),
        (("/pci", "driver/nvidia"), ["no GPU was found", "no process is known to serve a GPU, of 2 in the evidence"]),
    ],
    ids=["no NUMA nodes", "no processes", "no GPUs"],
)
def test_unknown_and_named_where_one_is_missing(root, removed, build, judge, parts, reasons):
    (judged,) = judge(build(removed(root("2p-2n-2g"), *parts)), "NA802")

    told = [re.split("[:;]", gap.reason)[0] for gap in judged.gaps]
    assert (judged.subject, judged.outcome, told) == ("host", Outcome.UNKNOWN, reasons)


def test_silent_about_a_hidden_process_that_the_drivers_table_names(host, outcomes):
    assert outcomes(host("2p-2n-2g-hidden-process"), "NA802") == {("host", "pass")}


def test_unknown_where_a_hidden_process_may_be_a_rank(root, removed, build, judge):
    (judged,) = judge(build(removed(root("2p-2n-2g-hidden-process"), "compute-apps")), "NA802")

    assert (judged.subject, judged.outcome) == ("host", Outcome.UNKNOWN)
    assert [(gap.kind, gap.path) for gap in judged.gaps] == [("refused", "root/proc/101/environ")]


def test_what_is_hidden_gives_the_advice_once(root, removed, build, judge):
    (judged,) = judge(build(removed(root("2p-2n-2g-hidden-process"), "compute-apps", "root/proc/100")), "NA802")

    assert [gap.reason.endswith("as root or as its user") for gap in judged.gaps] == [False, False]


def test_it_never_fails(build, outcomes):
    assert outcomes(build({}), "NA802") == {("host", "unknown")}
