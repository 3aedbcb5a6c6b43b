"""The pages of the processes whose numa_maps was not read whole are sampled (collect/sampler.py)."""

from __future__ import annotations

from typing import Sequence

from numaaudit.collect import about
from numaaudit.collect.gathering import Gathering


def sample_pages(gathering: Gathering, pids: Sequence[int]) -> None:
    """Into ``samples/``, where ``--pages sample`` is asked for and the guard held."""
    if gathering.options.pages != "sample":
        return
    large = [pid for pid in pids if gathering.record.outcome("root/proc/%d/numa_maps" % pid) == "cut"]
    if not large:
        return
    from numaaudit.collect.sampler import NAME, SAMPLE_S, PageSampler, sample_path, why_not  # start-up: most processes are small

    reason = why_not(gathering.options.root)
    if reason:
        for pid in large:
            gathering.record.miss(sample_path(pid), "not-run", reason, NAME)
        return
    gathering.progress("sampling the pages of %d processes" % len(large))
    for event in gathering.read(PageSampler(gathering.options.root, about.boot_id(gathering.tree)), large, SAMPLE_S, ""):
        gathering.record.miss(sample_path(event.item), event.outcome, event.reason, NAME)
