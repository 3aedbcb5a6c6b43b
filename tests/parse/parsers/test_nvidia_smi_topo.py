import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.nvidia_smi_topo import (
    PARSER,
    NvidiaSmiTopo,
    TopoGpu,
    TopoLink,
    TopoNic,
    parse,
)

LEGEND = """
Legend:

  X    = Self
  NODE = between PCIe Host Bridges within a NUMA node
"""
TWO_GPUS = (
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tPIX\t0-15,32-47\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
    "NIC0\tPIX\tSYS\t X \t\t\t\n" + LEGEND + "\nNIC Legend:\n\n  NIC0: mlx5_bond_0\n"
)


def gpu(number: int, cpus: str | None, numa_node: str | None, memory: int | None = None, **marks: bool) -> TopoGpu:
    return TopoGpu(number, (cpus and CpuSet.parse(cpus)) or None, (numa_node and NodeSet.parse(numa_node)) or None, memory, **marks)


def levels(topo: NvidiaSmiTopo) -> dict[tuple[str, str], str]:
    return {(link.a, link.b): link.level for link in topo.links}


def test_reads_affinities_links_and_the_nic_legend() -> None:
    assert parse(TWO_GPUS) == NvidiaSmiTopo(
        columns=("GPU0", "GPU1", "NIC0"),
        gpus=(gpu(0, "0-15,32-47", "0"), gpu(1, "16-31,48-63", "1")),
        nics=(TopoNic("NIC0", "mlx5_bond_0"),),
        links=(
            TopoLink("GPU0", "GPU1", "NV4"), TopoLink("GPU0", "NIC0", "PIX"),
            TopoLink("GPU1", "GPU0", "NV4"), TopoLink("GPU1", "NIC0", "SYS"),
        ),
    )  # fmt: skip


def test_underlined_and_mangled_headers_read_the_same() -> None:
    plain = parse(TWO_GPUS)
    for opening, closing in (("\x1b[4m", "\x1b[0m"), ("\ufffd[4m", "\ufffd[0m"), ("[4m", "[0m")):
        marked = TWO_GPUS.replace("\tGPU0", f"\t{opening}GPU0", 1).replace("GPU NUMA ID", f"GPU NUMA ID{closing}", 1)
        assert parse(marked) == plain


def test_tabs_turned_to_single_blanks_and_log_prefixes() -> None:
    text = (
        "INFO 2031-01-02T03:04:05.1Z GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\n"
        "INFO 2031-01-02T03:04:05.2Z GPU0 X SYS 0-15 0 N/A\n"
        "INFO 2031-01-02T03:04:05.3Z GPU1 SYS X 16-31 1 N/A\n"
        "INFO 2031-01-02T03:04:05.4Z {}\n"
    )
    assert parse(text).gpus == (gpu(0, "0-15", "0"), gpu(1, "16-31", "1"))


def test_oldest_drivers_have_only_cpu_affinity_and_device_names() -> None:
    text = "\tGPU0\tGPU1\tmlx4_0\tCPU Affinity\nGPU0\t X \tSOC\tPHB\t0-9,20-29\nGPU1\tSOC\t X \tSOC\t10-19,30-39\n"
    topo = parse(text)
    assert topo.gpus == (gpu(0, "0-9,20-29", None), gpu(1, "10-19,30-39", None))
    assert topo.nics == (TopoNic("mlx4_0", "mlx4_0"),)
    assert levels(topo)["GPU0", "GPU1"] == "SOC"


def test_no_affinity_columns_at_all() -> None:
    topo = parse("\tGPU0\tGPU1\nGPU0\t X \tPHB\nGPU1\tPHB\t X \n")
    assert topo.gpus == (gpu(0, None, None), gpu(1, None, None))


def test_blank_cpu_affinity_does_not_shift_the_columns() -> None:
    header = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    assert parse(header + "GPU0\t X \t\t0,2-17\t\t1\n").gpus == (gpu(0, None, "0,2-17", 1),)
    spaces = "        GPU0    CPU Affinity    NUMA Affinity   GPU NUMA ID\nGPU0     X                      0,2-17          1\n"
    assert parse(spaces).gpus == (gpu(0, None, "0,2-17", 1),)
    all_blank = "        GPU0    CPU Affinity    NUMA Affinity   GPU NUMA ID\nGPU0     X                                      N/A\n"
    assert parse(all_blank).gpus == (gpu(0, None, None),)


def test_a_lone_cell_that_fits_under_no_column_is_unreadable() -> None:
    text = "GPU0 CPU Affinity NUMA Affinity GPU NUMA ID\nGPU0 X 0-15 N/A\n"
    assert parse(text).gpus == (gpu(0, None, None, affinity_unreadable=True),)


def test_cells_that_ran_together() -> None:
    text = (
        "    GPU0    GPU1    NIC0NIC1    CPU AffinityNUMA Affinity   GPU NUMA ID\n"
        "GPU0     X      NV18    PIXSYS  0-47,96-1430N/A\n"
        "GPU1    NV18     X      SYSNODE 48-95,144-191   1N/A\n"
    )
    topo = parse(text)
    assert topo.gpus == (gpu(0, "0-47,96-143", "0"), gpu(1, "48-95,144-191", "1"))
    assert levels(topo)["GPU0", "NIC1"] == "SYS"
    assert levels(topo)["GPU1", "NIC0"] == "SYS"


def test_an_ambiguous_run_together_cell_is_unreadable() -> None:
    text = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X  0-310  N/A\n"
    assert parse(text).gpus == (gpu(0, None, None, affinity_unreadable=True),)


def test_header_and_rows_broken_by_a_narrow_terminal() -> None:
    text = (
        "        GPU0    GPU1    NIC0    NIC1    CPU Aff\ninity    NUMA Affinity   GPU NUMA ID\n"
        "GPU0     X      NV18    PIX     SYS     0-47,96\n-143     0               N/A\n"
        "GPU1    NV18     X      SYS     NO\nDE    48-95,144-191   1               N/A\n"
        "NIC0    PIX     SYS      X      SY\nS\n"
        "NIC1    SYS     NODE    SYS      X \n"
    )
    topo = parse(text)
    assert topo.columns == ("GPU0", "GPU1", "NIC0", "NIC1")
    assert topo.gpus == (gpu(0, "0-47,96-143", "0"), gpu(1, "48-95,144-191", "1"))
    assert levels(topo)["GPU1", "NIC1"] == "NODE"


def test_a_list_the_driver_may_have_cut_is_kept_and_marked() -> None:
    text = "\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0,2,4,6,8,10\t0\n"
    assert parse(text).gpus == (gpu(0, "0,2,4,6,8,10", "0", affinity_clipped=True),)


def test_several_nodes_and_gpu_memory_nodes() -> None:
    text = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t0-71\t0,3-9,11-17\t\t2\n"
    assert parse(text).gpus == (gpu(0, "0-71", "0,3-9,11-17", 2),)


def test_a_matrix_need_not_be_symmetric() -> None:
    topo = parse("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-3\nGPU1\tSYS\t X \t4-7\n")
    assert levels(topo) == {("GPU0", "GPU1"): "PHB", ("GPU1", "GPU0"): "SYS"}


def test_a_cut_table_keeps_its_columns() -> None:
    topo = parse("\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tNV1\tNV2\t0-3\nGPU1\tNV1\t X\n")
    assert (topo.columns, topo.gpus) == (("GPU0", "GPU1", "GPU2"), (gpu(0, "0-3", None), gpu(1, None, None, affinity_unreadable=True)))
    assert levels(topo)["GPU1", "GPU0"] == "NV1"


def test_blank_link_cells_are_placed_by_tab_or_left_out() -> None:
    by_tab = parse("\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \t\tNV2\t0-3\n")
    assert levels(by_tab) == {("GPU0", "GPU2"): "NV2"}
    by_blank = parse("        GPU0    GPU1    GPU2    CPU Affinity\nGPU0     X              NV2     0-3\n")
    assert by_blank.links == ()


def test_scraps_of_memory_in_the_legend_are_no_names() -> None:
    text = TWO_GPUS.replace("mlx5_bond_0", "        NIC41   CPU Affinity")
    assert parse(text).nics == (TopoNic("NIC0", None),)


def test_foreign_lines_around_the_table_are_ignored() -> None:
    text = "$ nvidia-smi topo -m\n```\n" + TWO_GPUS + "```\n$ uptime\nGPU9 is not there\n"
    assert parse(text) == parse(TWO_GPUS)


@pytest.mark.parametrize("text", ["", "GPU0\tGPU1\n", "GPU0   GPU1\nGPU0  0  15\n", "\tGPU0\tCPU Affinity\n", "\0\ufffd[", "GPU0 is hot\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_the_header_only() -> None:
    starts = [match.start() for match in PARSER.matches("x\n" + TWO_GPUS + "\n" + TWO_GPUS)]
    assert starts == [2, 3 + len(TWO_GPUS)]
    assert list(PARSER.matches("       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n")) == []


SPACED = """\
        GPU0    GPU1    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      SYS     0-63    0               N/A
GPU1    SYS      X              1               N/A
"""


def test_a_blank_cell_is_found_by_where_the_cells_of_other_rows_begin():
    first, second = parse(SPACED).gpus

    assert (str(first.cpu_affinity), str(first.numa_affinity)) == ("0-63", "0")
    assert (second.cpu_affinity, str(second.numa_affinity), second.affinity_unreadable) == (None, "1", False)


def test_a_cell_that_begins_where_none_of_the_others_does_cannot_be_told_apart():
    _, second = parse(SPACED.replace("              1 ", "            1   ")).gpus

    assert (second.cpu_affinity, second.numa_affinity, second.affinity_unreadable) == (None, None, True)
