"""What is local to a rank."""

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.locality import home_of
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology

NODE1 = "root/sys/devices/system/node/node1"


def home(host):
    return home_of(host.section(Ranks).by_pid(101), host.section(Topology))


def test_the_numa_node_of_the_gpu_is_home(host):
    found = home(host("2p-2n-2g"))

    assert (found.numa_nodes, found.cpus) == (NodeSet([1]), CpuSet.parse("2-3,6-7"))
    assert [line.text for line in found.evidence] == ["1", "2-3,6-7"]


def test_the_nearest_numa_node_with_cpus_is_where_it_has_none(root, build):
    entries = root("2p-2n-2g") | {f"{NODE1}/cpulist": "\n", f"{NODE1}/cpumap": "00\n"}

    assert home(build(entries)).numa_nodes == NodeSet([0])


def test_a_gap_where_its_cpus_are_not_known(root, build):
    entries = {path: entry for path, entry in root("2p-2n-2g").items() if not path.startswith(f"{NODE1}/cpu")}

    assert isinstance(home(build(entries)), Gap)


def test_straddling_is_being_partly_there(host):
    found = home(host("2p-2n-2g"))

    assert [found.is_straddled_by(CpuSet.parse(cpus)) for cpus in ("1-2", "2", "0-1")] == [True, False, False]
