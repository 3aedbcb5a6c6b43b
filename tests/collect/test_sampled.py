"""The reason of a numa_maps that a sample stands in for."""

import json
import os

import pytest

from numaaudit.collect.collector import Read
from numaaudit.collect.gathering import Gathering
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.sampled import SAMPLED, tell_sampled

MAPS = "proc/7/numa_maps"


@pytest.fixture
def reason():
    """What the manifest says of the numa_maps of process 7 that had this outcome, with this sample."""

    def tell(outcome, sample):
        gathering = Gathering(CollectOptions(), lambda: False, os.defpath, lambda _: None)
        gathering.record.add(Read("process_pages", MAPS, outcome, b"7f0000000000 default\n", None, "too large"))
        if sample is not None:
            gathering.record.add(Read("page_sample", "samples/pages-7.json", data=json.dumps({"estimates": sample}).encode()), below="")
        tell_sampled(gathering, [7, 8])
        return next(entry.reason for entry in gathering.record.entries() if entry.path == "root/" + MAPS)

    return tell


def test_it_says_how_many_pages_and_how_to_read_all(reason):
    told = reason("cut", {"anon": {"present": 300}, "pinned": {"present": 21}, "file": {"present": 1000}})

    assert told.startswith("sampled 321 random pages; all of them: numaaudit collect --pid 7 --pages full")
    assert SAMPLED.match(told)[1] == "321"


def test_without_a_sample_it_keeps_its_own(reason):
    assert reason("cut", None) == "too large"


def test_one_that_was_refused_keeps_its_own(reason):
    assert reason("refused", {"anon": {"present": 300}}) == "too large"
