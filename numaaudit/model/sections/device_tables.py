"""The texts that say which devices there are and how they hang together: the driver's, the vendors' tools' and topology files."""

from typing import NamedTuple

from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.hwloc_xml import HwlocTopology
from numaaudit.parse.parsers.nccl_xml import NcclTopology
from numaaudit.parse.parsers.npu_smi_map import NpuSmiMap
from numaaudit.parse.parsers.npu_smi_topo import NpuSmiTopo
from numaaudit.parse.parsers.nvidia_information import NvidiaInformation
from numaaudit.parse.parsers.nvidia_smi_list import NvidiaSmiList
from numaaudit.parse.parsers.nvidia_smi_query_gpu import NvidiaSmiQueryGpu
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo
from numaaudit.parse.parsers.rocm_smi_topo import RocmSmiTopo


class DeviceTables(NamedTuple):
    """All of a kind, in the order of the input."""

    informations: tuple[Found[NvidiaInformation], ...] = ()
    queries: tuple[Found[NvidiaSmiQueryGpu], ...] = ()
    listings: tuple[Found[NvidiaSmiList], ...] = ()
    topos: tuple[Found[NvidiaSmiTopo], ...] = ()
    rocm: tuple[Found[RocmSmiTopo], ...] = ()
    npu_maps: tuple[Found[NpuSmiMap], ...] = ()
    npus: tuple[Found[NpuSmiTopo], ...] = ()
    hwlocs: tuple[Found[HwlocTopology], ...] = ()
    nccls: tuple[Found[NcclTopology], ...] = ()


def join(
    informations: tuple[Found[NvidiaInformation], ...],
    queries: tuple[Found[NvidiaSmiQueryGpu], ...],
    listings: tuple[Found[NvidiaSmiList], ...],
    topos: tuple[Found[NvidiaSmiTopo], ...],
    rocm: tuple[Found[RocmSmiTopo], ...],
    npu_maps: tuple[Found[NpuSmiMap], ...],
    npus: tuple[Found[NpuSmiTopo], ...],
    hwlocs: tuple[Found[HwlocTopology], ...],
    nccls: tuple[Found[NcclTopology], ...],
) -> DeviceTables:
    """Nothing is decided here."""
    return DeviceTables(informations, queries, listings, topos, rocm, npu_maps, npus, hwlocs, nccls)


JOINER = Joiner(join)
