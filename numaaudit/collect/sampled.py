"""What stands in for a numa_maps that was not read whole: how many pages were sampled, and how to know all of them."""

from __future__ import annotations

import json
import re
from typing import Optional, Sequence

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.gathering import Gathering
from numaaudit.core.page_kinds import FILE

SAMPLED = re.compile(r"sampled ([0-9]+) random pages; all of them: ")
_REASON = "sampled %d random pages; all of them: numaaudit collect --pid %d --pages full (holds the process up by about 9 ms per GiB)"


def tell_sampled(gathering: Gathering, pids: Sequence[int]) -> None:
    """Give each cut numa_maps the reason that readers can do something with; without a sample it keeps its own."""
    for path, pid in (("root/proc/%d/numa_maps" % pid, pid) for pid in pids):
        pages = _num_pages(gathering, pid) if gathering.record.outcome(path) == "cut" else None
        if pages is not None:
            gathering.record.explain(path, _REASON % (pages, pid))


def _num_pages(gathering: Gathering, pid: int) -> Optional[int]:
    """The pages that were found of what feeds a GPU, as reports count them; None where there is no sample."""
    from numaaudit.collect.sampler import sample_path  # start-up: most processes are small

    file = Tree(gathering.record.members).get(sample_path(pid))
    if isinstance(file, Gap):
        return None
    return int(sum(each["present"] for kind, each in json.loads(file.data)["estimates"].items() if kind != FILE))
