import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.rocm_smi_topo import (
    PARSER,
    RocmGpu,
    RocmLink,
    RocmSmiTopo,
    parse,
)

AMD = """\
============================ ROCm System Management Interface ============================
================================ Weight between two GPUs =================================
       GPU0         GPU1
GPU0   0            15
GPU1   15           0

=============================== Link Type between two GPUs ===============================
       GPU0         GPU1
GPU0   0            XGMI
GPU1   XGMI         0

======================================= Numa Nodes =======================================
GPU[0]\t\t: (Topology) Numa Node: 0
GPU[0]\t\t: (Topology) Numa Affinity: -1
GPU[1]\t\t: (Topology) Numa Node: 1
GPU[1]\t\t: (Topology) Numa Affinity: 3
================================== End of ROCm SMI Log ===================================
"""
HYGON = """\
============================ System Management Interface =============================
======================================================================================
Link accessible between HCUs
          HCU[2]    HCU[5]
HCU[2]    TRUE      TRUE
HCU[5]    TRUE      TRUE
======================================================================================
Hops between HCUs
          HCU[2]    HCU[5]
HCU[2]    0         2
HCU[5]    2         0
Link Type between HCUs
          HCU[2]    HCU[5]
HCU[2]    None      PCIE
HCU[5]    PCIE      None
HCU[2]          : Numa Node:  0
HCU[2]          : Numa Affinity:  0
=================================== End of SMI Log ===================================
"""


def test_affinity_of_minus_one_is_unknown() -> None:
    assert parse(AMD) == RocmSmiTopo(
        (RocmGpu(0, 0, None), RocmGpu(1, 1, 3)),
        (RocmLink("GPU0", "GPU1", "XGMI", 15, None), RocmLink("GPU1", "GPU0", "XGMI", 15, None)),
    )


def test_hygon_prints_the_same_under_other_names() -> None:
    assert parse(HYGON) == RocmSmiTopo(
        (RocmGpu(2, 0, 0), RocmGpu(5, None, None)),
        (RocmLink("GPU2", "GPU5", "PCIE", None, 2), RocmLink("GPU5", "GPU2", "PCIE", None, 2)),
        "HCU",
    )


def test_what_follows_the_end_is_not_read() -> None:
    assert parse(AMD + "Link Type between two GPUs\n    GPU7\nGPU7 0\n") == parse(AMD)


@pytest.mark.parametrize("text", ["", "GPU0 GPU1\n", "Numa Nodes\n", "Weight between two GPUs\nGPU0 0\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [AMD, HYGON, AMD.split("\n", 1)[1]])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text + "$ y\n")] == [4]
