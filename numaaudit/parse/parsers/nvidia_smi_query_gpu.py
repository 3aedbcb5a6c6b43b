"""``nvidia-smi --query-gpu=... --format=csv``: the identity of the GPUs, in whatever columns were asked for."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.csv_table import Row, read_table
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none

_UUID, _BUS, _NAME = ("uuid", "gpu_uuid"), ("pci.bus_id", "gpu_bus_id"), ("name", "gpu_name")


class QueriedGpu(NamedTuple):
    """One row; None is what was not asked, or what the driver does not know (``[N/A]``, ``[Unknown Error]``)."""

    index: int | None  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    gpu_uuid: str | None
    pci_address: PciAddress | None
    model: str | None
    driver_version: str | None


class NvidiaSmiQueryGpu(NamedTuple):
    """Rows in the driver's order."""

    gpus: tuple[QueriedGpu, ...]


def parse(text: str) -> NvidiaSmiQueryGpu:
    """ParseError without a header that identifies GPUs, or without a GPU below it."""
    rows = read_table(text, _identifies_gpus, "name")
    gpus = tuple(gpu for gpu in map(_gpu, rows) if gpu[:3] != (None, None, None))
    if not gpus:
        raise ParseError("the header is followed by no GPU", 1)
    return NvidiaSmiQueryGpu(gpus)


def _identifies_gpus(names: set[str]) -> bool:
    return "pid" not in names and any(name in names for name in ("index", *_UUID, *_BUS))


def _gpu(row: Row) -> QueriedGpu:
    return QueriedGpu(
        int_or_none(row.cells.get("index")),
        _first(row, _UUID),
        _address(_first(row, _BUS)),
        _first(row, _NAME),
        row.cells.get("driver_version"),
    )


def _first(row: Row, names: tuple[str, ...]) -> str | None:
    return next((row.cells[name] for name in names if row.cells.get(name)), None)


def _address(text: str | None) -> PciAddress | None:
    try:
        return PciAddress.parse(text) if text else None
    except ParseError:
        return None


PARSER = Parser(
    parse,
    reads=(Command(("nvidia-smi", "--query-gpu=index,uuid,pci.bus_id,name,driver_version", "--format=csv")),),
    looks_like=(
        r"^(?=[^\n]*(?:\buuid|\bgpu_uuid|bus_id|\bindex)\b)(?![^\n]*\bpid\b)"
        r"[ \t]*(?:[a-z_][\w.]*(?: \[[^\n\]]{1,8}\])?,[ \t]*)+[a-z_][\w.]*(?: \[[^\n\]]{1,8}\])?[ \t\r]*\n"
        r"(?=[^\n]*(?:GPU-[0-9a-f]|[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|^\d+,))"
    ),
)
