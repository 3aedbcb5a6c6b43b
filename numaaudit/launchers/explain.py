"""What a recognised launcher should have given a rank, by the same models that predict before a job starts."""

from collections.abc import Mapping
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import UsageError
from numaaudit.launchers.host_view import HostView, numbered
from numaaudit.launchers.prediction import Outcome
from numaaudit.launchers.recognise import Recognised
from numaaudit.launchers.registry import Forecast, Request, forecast, launcher_named
from numaaudit.model.sections.cpu_groups import CpuGroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.ranks import Rank
from numaaudit.model.sections.topology import Topology
from numaaudit.model.visible_devices import visible_gpus

_MOST_RANKS = 1024


class Board(NamedTuple):
    """What launchers read of a host."""

    topology: Topology
    devices: Devices
    pci: PciFunctions
    groups: CpuGroups
    online: CpuSet


class Expected(NamedTuple):
    """``cpus``: what the rank should have. ``others``: what the launcher gives other local ranks."""

    cpus: CpuSet
    others: Mapping[int, CpuSet]


def expected_of(rank: Rank, found: Recognised, board: Board, started_with: CpuSet) -> Expected | None:
    """``started_with``: the mask of the launcher itself. None where the model is not certain, or does not bind the rank."""
    gpus = visible_gpus(rank.process.variables, board.devices.gpus)
    if not started_with or isinstance(gpus, Gap) or found.num_ranks > _MOST_RANKS:
        return None
    request = Request(found.num_ranks, gpus, rank.process.variables.get("CUDA_VISIBLE_DEVICES"), found.options)
    try:
        made = forecast(launcher_named(found.launcher), _view(rank, board, started_with), request)
    except UsageError:
        return None
    return _expected(made, found.local_rank) if made.confidence is Confidence.CERTAIN else None


def _expected(made: Forecast, local_rank: int) -> Expected | None:
    bound = {each.rank: each.effective_cpus for each in made.ranks if each.outcome is Outcome.BINDS and each.effective_cpus}
    cpus = bound.pop(local_rank, None)
    return Expected(cpus, bound) if cpus else None


def _view(rank: Rank, board: Board, started_with: CpuSet) -> HostView:
    topology = board.topology
    mems = rank.process.allowed_mems or NodeSet(numa_node.id for numa_node in topology.numa_nodes if numa_node.memory_bytes != 0)
    gpus, arch = numbered(board.devices.gpus), None  # no launcher that is recognised asks for it
    return HostView(topology, gpus, board.pci, board.groups, arch, board.online, started_with & board.online, mems)
