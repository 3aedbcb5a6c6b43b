"""A rule for insights-core that reads two small files."""

from insights import make_fail, make_pass, rule
from insights.parsers.fstab import FSTab
from insights.parsers.meminfo import MemInfo


@rule(MemInfo, FSTab)
def report(memory, mounts):
    if memory.total > 0 and len(mounts.data) > 0:
        return make_fail("HAS_MEMORY_AND_MOUNTS", total=memory.total)
    return make_pass("HAS_NEITHER")
