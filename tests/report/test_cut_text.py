"""Which layer took a rank's CPUs, as reports say it."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.cpu_layers import Layer
from numaaudit.model.sections.cut_cpus import CutCpus, CutRank
from numaaudit.model.sections.ranks import Ranks
from numaaudit.report.cut_text import cut_documents, cut_lines, layer_lines


@pytest.fixture
def cut(host):
    rank = host("2p-2n-2g").section(Ranks).all[0]
    layers = (
        Layer("cgroup /", None, CpuSet.parse("0-7"), CpuSet(), ()),
        Layer("cgroup /job_7", "Slurm", CpuSet.parse("0-2"), CpuSet.parse("3"), ()),
        Layer("its own mask", None, CpuSet.parse("2"), CpuSet(), ()),
    )
    return CutRank(rank, "numactl", CpuSet.parse("2-3"), (), layers)


def test_layer_by_layer(cut):
    assert list(layer_lines(cut)) == [
        "rank:0 lacks CPUs 3, first taken by Slurm: cgroup /job_7",
        "  2-3           asked for by numactl",
        "  0-7           cgroup /",
        "  0-2  takes 3  cgroup /job_7 (Slurm)",
        "  2             its own mask",
    ]


def test_without_a_request_the_gpus_numa_node_is_wanted(cut):
    assert list(layer_lines(cut._replace(by=None)))[1] == "  2-3           of its GPU's NUMA node"


def test_many_ranks_are_named_only(cut):
    lines = cut_lines(CutCpus((cut,) * 6))

    assert (len(lines), lines[-1]) == (4 * 5 + 1, "and 2 more: rank:0 rank:0")


def test_nothing_cut_is_no_line():
    assert cut_lines(CutCpus(())) == []


@pytest.mark.parametrize("name", ["cgroup /\x1b[2J\x07", "cgroup /a\r\nb", "cgroup /\u202etxt"])
def test_a_hostile_group_is_one_plain_line(cut, name):
    hostile = cut._replace(by=name, layers=(cut.layers[1]._replace(name=name, owner=name),))

    assert all(line.isprintable() for line in layer_lines(hostile))
    assert len(list(layer_lines(hostile))) == 3


def test_for_machines(cut):
    (document,) = cut_documents([cut])

    assert document["first"] == "cgroup /job_7"
    assert document["layers"][1] == {"name": "cgroup /job_7", "owner": "Slurm", "cpus": "0-2", "taken": "3"}
    assert {name: document[name] for name in ("subject", "asked_by", "wanted", "lost")} == {
        "subject": "rank:0",
        "asked_by": "numactl",
        "wanted": "2-3",
        "lost": "3",
    }
