"""What a recognised launcher should have given a rank, by its model."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.explain import Board, expected_of
from numaaudit.launchers.recognise import Recognised
from numaaudit.model.evidence import cite
from numaaudit.model.sections.cpu_groups import CpuGroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology

ALL = CpuSet.parse("0-7")


@pytest.fixture
def expected(host):
    """What the launcher gives rank 1 of the two; ``started_with`` is the launcher's mask."""

    def run(name, started_with=ALL, num_ranks=2, **options):
        made = host("2p-2n-2g")
        board = Board(*(made.section(kind) for kind in (Topology, Devices, PciFunctions, CpuGroups)), ALL)
        rank = made.section(Ranks).by_pid(101)
        found = Recognised(name, name, options, 1, num_ranks, rank.process, cite(rank.process.status.file))
        return expected_of(rank, found, board, started_with)

    return run


def test_the_ranks_own_cpus_and_those_of_the_others(expected):
    found = expected("torchrun", mode="node")

    assert (str(found.cpus), {number: str(cpus) for number, cpus in found.others.items()}) == ("2-3,6-7", {0: "0-1,4-5"})


def test_the_launchers_mask_is_what_it_shares_out(expected):
    assert str(expected("torchrun", CpuSet.parse("1-2"), mode="node").cpus) == "2"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("torchrun", {"mode": "core-complex"}),  # which CPUs share a cache is not known
        ("torchrun", {"mode": "everything"}),
        ("command", {"line": "taskset"}),
        ("command", {"line": "numactl -C 0-99 program"}),  # refused: no such rank can be there
        ("command", {"line": "program"}),
    ],
)
def test_nothing_where_the_model_is_not_certain_or_does_not_bind(expected, name, options):
    assert expected(name, **options) is None


def test_nothing_without_a_mask_or_for_a_number_of_ranks_no_host_has(expected):
    assert expected("torchrun", CpuSet(), mode="node") is None
    assert expected("torchrun", num_ranks=100_000, mode="node") is None
