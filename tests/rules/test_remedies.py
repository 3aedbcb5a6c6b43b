"""Command lines that several rules propose."""

import pytest

from numaaudit.model.locality import home_of
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.remedies import bind_command


@pytest.mark.parametrize(("argv", "words"), [(("python3", "-m", "vllm"), ("python3", "-m", "vllm")), ((), ("COMMAND",))])
def test_a_rank_is_started_bound_to_its_home(host, argv, words):
    sections = host("2p-2n-2g")
    rank, topology = sections.section(Ranks).all[1], sections.section(Topology)
    named = rank._replace(process=rank.process._replace(argv=argv))

    assert bind_command(named, home_of(rank, topology)) == (("numactl", "--cpunodebind=1", "--membind=1", *words),)
