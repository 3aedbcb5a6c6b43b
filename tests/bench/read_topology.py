"""``numaaudit inspect`` of an hwloc XML file beside ``lstopo --input`` of the same one."""

from collections.abc import Iterator

from measure import BUILD, NUMAAUDIT, Row, Settings, alternate, ms, run

_SHAPE = "package:2 numa:1 l3:8 core:8 pu:2"  # 256 CPUs on two NUMA nodes


def measure(settings: Settings) -> Iterator[Row]:
    topology = BUILD / "topology.xml"
    if not topology.exists():
        run(("lstopo-no-graphics", "--input", _SHAPE, str(topology)))
    found = alternate(
        settings.rounds,
        ours=lambda: run((*NUMAAUDIT, "inspect", str(topology))),
        lstopo=lambda: run(("lstopo-no-graphics", "--input", str(topology), "--of", "console")),
    )
    ours, peer = found["ours"].cpu_s, found["lstopo"].cpu_s
    yield Row("`inspect` of an hwloc XML file of 256 CPUs, CPU time", ms(ours), f"`lstopo --input`: {ms(peer)}", ours / peer, "x", None)
