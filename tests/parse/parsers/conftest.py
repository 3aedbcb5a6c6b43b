"""What tests of log parsers compare."""

import pytest


@pytest.fixture
def facts():
    """A claim as (kind, role, pid, tid, rank, gpu, CPUs, NUMA nodes)."""

    def of(claim):
        cpus, mems = (None if ids is None else str(ids) for ids in (claim.cpus, claim.mems))
        return claim.kind, claim.role, claim.pid, claim.tid, claim.rank, claim.gpu, cpus, mems

    return of
