import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.lscpu import PARSER, CoreBlock, Lscpu, LscpuNode, parse

ENGLISH = """\
Architecture:                    x86_64
CPU op-mode(s):                  32-bit, 64-bit
Address sizes:                   46 bits physical, 57 bits virtual
CPU(s):                          8
On-line CPU(s) list:             0-7
Vendor ID:                       GenuineIntel
BIOS Vendor ID:                  Firmware Inc.
BIOS Model name:                 Firmware name
Model name:                      Example CPU @ 2.00GHz
CPU family:                      6
Model:                           85
Thread(s) per core:              2
Core(s) per socket:              2
Socket(s):                       2
Stepping:                        7
BogoMIPS:                        4200.00
Hypervisor vendor:               KVM
NUMA node(s):                    2
NUMA node0 CPU(s):               0,2,4,6
NUMA node1 CPU(s):               1,3,5,7
Vulnerability Meltdown:          Not affected
"""
CHINESE = """\
架构：           aarch64
CPU:             4
在线 CPU 列表：  0-3
厂商 ID：        HiSilicon
型号名称：       Kunpeng-920
每个核的线程数： 1
每个座的核数：   2
座：             2
NUMA 节点：      2
NUMA 节点0 CPU： 0-1
NUMA 节点1 CPU： 2-3
"""


def cpus(text: str) -> CpuSet:
    return CpuSet.parse(text)


def counts(found: Lscpu) -> tuple[int | None, int | None, int | None]:
    return found.threads_per_core, found.cores_per_socket, found.sockets


def test_reads_the_english_text() -> None:
    assert parse(ENGLISH) == Lscpu(
        architecture="x86_64", vendor="GenuineIntel", model_name="Example CPU @ 2.00GHz", hypervisor="KVM",
        cpus=8, online=cpus("0-7"), offline=None, threads_per_core=2, cores_per_socket=2, sockets=2, blocks=(CoreBlock(2, 2, 2),),
        sockets_per_book=None, books_per_drawer=None, drawers=None,
        numa_node_count=2, numa_nodes=(LscpuNode(0, cpus("0,2,4,6")), LscpuNode(1, cpus("1,3,5,7"))),
    )  # fmt: skip


def test_reads_full_width_colons() -> None:
    found = parse(CHINESE)
    assert (found.architecture, found.vendor, found.model_name, found.online) == ("aarch64", "HiSilicon", "Kunpeng-920", cpus("0-3"))
    assert (counts(found), found.numa_node_count) == ((1, 2, 2), 2)
    assert found.numa_nodes == (LscpuNode(0, cpus("0-1")), LscpuNode(1, cpus("2-3")))


@pytest.mark.parametrize(
    ("thread", "core", "socket", "numa_node"),
    [
        ("Thread(s) par cœur :", "Cœur(s) par socket :", "Socket(s)\u00a0:", "Nœud NUMA 0 de processeur(s) :"),
        ("Thread(s) pro Kern:", "Kern(e) pro Sockel:", "Sockel:", "NUMA-Knoten0 CPU(s):"),
        ("コアあたりのスレッド数:", "ソケットあたりのコア数:", "ソケット数:", "NUMA ノード 0 CPU:"),
        ("Потоков на ядро:", "Ядер на сокет:", "Сокетов:", "NUMA node0 CPU(s):"),
        ("Wątków na rdzeń:", "Rdzeni na gniazdo:", "Gniazd:", "Procesory węzła NUMA 0:"),
        ("코어당 스레드 수:", "소켓당 코어 수:", "소켓:", "NUMA 노드0 CPU:"),
        ("qwe asd yxc:", "wer sdf:", "ert:", "zui NUMA 0 hjk:"),
    ],
)
def test_reads_other_languages(thread: str, core: str, socket: str, numa_node: str) -> None:
    text = f"foo: x86_64\nCPU(s): 24\nbar: 0-23\nbaz: 6\n{thread} 2\n{core} 6\n{socket} 2\nqux: 5\n{numa_node} 0-23\n"
    found = parse(text)
    assert (counts(found), found.numa_nodes) == ((2, 6, 2), (LscpuNode(0, cpus("0-23")),))


def test_offline_cpus_and_the_impossible_zero() -> None:
    found = parse(
        "CPU(s): 8\nOn-line CPU(s) list: 0-1\nOff-line CPU(s) list: 2-7\nThread(s) per core: 0\nCore(s) per socket: 4\nSocket(s): 2\n"
    )
    assert (found.cpus, found.online, found.offline, counts(found)) == (8, cpus("0-1"), cpus("2-7"), (None, 4, 2))


def test_nodes_may_be_sparse_strided_or_without_cpus() -> None:
    text = "CPU(s): 8\nOn-line CPU(s) list: 0-7\nNUMA node0 CPU(s): 0-6:2\nNUMA node8 CPU(s): 1-7:2\nNUMA node252 CPU(s):\n"
    assert parse(text).numa_nodes == (LscpuNode(0, cpus("0,2,4,6")), LscpuNode(8, cpus("1,3,5,7")), LscpuNode(252, CpuSet()))


def test_books_and_drawers_are_not_sockets() -> None:
    counted = "Thread(s) per core: 1\nCore(s) per socket: 8\nSocket(s) per book: 3\nBook(s) per drawer: 2\nDrawer(s): 4\n"
    text = "CPU(s): 8\nOn-line CPU(s) list: 0-7\n" + counted
    found = parse(text)
    assert counts(found) == (1, 8, None)
    assert (found.sockets_per_book, found.books_per_drawer, found.drawers, found.numa_nodes) == (3, 2, 4, ())


def test_several_kinds_of_core_give_blocks_and_no_single_count() -> None:
    block = "Model name: {}\nThread(s) per core: 1\nCore(s) per socket: {}\nSocket(s): 1\n"
    found = parse("CPU(s): 8\nOn-line CPU(s) list: 0-7\n" + block.format("big", 4) + block.format("little", 4))
    assert (found.blocks, counts(found)) == ((CoreBlock(1, 4, 1), CoreBlock(1, 4, 1)), (None, None, None))


def test_clusters_are_not_sockets() -> None:
    found = parse("CPU(s): 8\nOn-line CPU(s) list: 0-7\nThread(s) per core: 1\nCore(s) per cluster: 8\nSocket(s): -\nCluster(s): 1\n")
    assert found.blocks == (CoreBlock(1, None, None, 8, 1),)


def test_masks_and_lists_broken_over_lines() -> None:
    text = "  CPU(s):   6\n    On-line CPU(s) mask: 0x3f\nNUMA:\n  NUMA node0 CPU(s):  0,1,\n                      2,3,4,5\n"
    found = parse(text)
    assert (found.online, found.numa_nodes) == (cpus("0-5"), (LscpuNode(0, cpus("0-5")),))


def test_a_list_that_was_cut_is_unknown() -> None:
    assert parse("NUMA node(s): 1\nNUMA node0 CPU(s): 0,1,\n").numa_nodes == (LscpuNode(0, None),)


@pytest.mark.parametrize("text", ["", "hello: world\n", "a: 0-3\n", "NUMA\n", "\0: \0\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, ENGLISH.split("\n", 3)[3], "NUMA node(s): 1\nNUMA node0 CPU(s): 0\n"])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches(f"$ lscpu\n{text}\n")] == [8]


def test_two_outputs_in_a_row_are_two() -> None:
    assert [match.start() for match in PARSER.matches(ENGLISH + CHINESE)] == [0, len(ENGLISH)]
