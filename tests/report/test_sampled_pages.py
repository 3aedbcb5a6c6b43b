"""Sampled pages in the model for machines, and for people."""

import pytest

from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.report.host_json import host_document
from numaaudit.report.host_text import host_lines
from numaaudit.report.sampled_pages import sampled_cell, sampled_document, sampled_text


@pytest.fixture
def large(root, build, sampled):
    """The host whose rank 1 was sampled."""
    return lambda strata, **resident: build(sampled(root("2p-2n-2g"), 101, "default", strata, **resident))


def process(host, pid=101):
    return host.section(Processes).by_pid(pid)


SPREAD = {"anon": (3072, {0: 1000, 1: 3000}), "pinned": (1024, {1: 2000}), "file": (64, {0: 64})}


def test_the_model_has_shares_with_their_intervals_together_and_by_kind(large):
    host = large(SPREAD)

    assert sampled_document(process(host), host.section(Topology)) == {
        "path": "samples/pages-101.json",
        "num_pages": 6000,
        "bytes": 4 << 30,
        "share_by_node": {"0": {"share": 0.1875, "low": 0.1773, "high": 0.1981}, "1": {"share": 0.8125, "low": 0.8019, "high": 0.8227}},
        "kinds": {
            "anon": {
                "num_pages": 4000,
                "bytes": 3 << 30,
                "share_by_node": {"0": {"share": 0.25, "low": 0.2368, "high": 0.2637}, "1": {"share": 0.75, "low": 0.7363, "high": 0.7632}},
            },
            "pinned": {
                "num_pages": 2000,
                "bytes": 1 << 30,
                "share_by_node": {"0": {"share": 0.0, "low": 0.0, "high": 0.0019}, "1": {"share": 1.0, "low": 0.9981, "high": 1.0}},
            },
        },
    }


def test_what_too_few_pages_tell_is_null(large):
    host = large({"anon": (3072, {1: 4000}), "shm": (1, {1: 10})})
    document = sampled_document(process(host), host.section(Topology))

    assert document["kinds"]["shm"] == {"num_pages": 10, "bytes": 1 << 20, "share_by_node": None}


def test_a_process_whose_numa_maps_was_read_whole_has_none(large):
    host = large(SPREAD)

    assert [each["sampled_pages"] is None for each in host_document(host)["processes"]] == [True, False]
    assert (sampled_text(process(host, 100)), sampled_cell(process(host, 100))) == ("", "")


def test_people_read_the_interval(large):
    host = large(SPREAD)
    line = "  memory  about 4 GiB, 18 to 20 % on NUMA node 0, 80 to 82 % on NUMA node 1 (95 % intervals of 6000 random pages)"

    assert line in host_lines(host)
    assert sampled_cell(host.section(Ranks).by_pid(101).process) == "18 to 20 % of 4 GiB on 0, 80 to 82 % of 4 GiB on 1"


def test_people_read_why_nothing_is_known(large):
    why = "30 of the pages that were asked for are present, fewer than 400"

    assert f"  memory  not known: {why}; run: numaaudit collect --pid 101 --pages full" in host_lines(
        large({"anon": (3072, {1: 30, -1: 4000})})
    )
