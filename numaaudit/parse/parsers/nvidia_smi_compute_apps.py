"""``nvidia-smi --query-compute-apps=... --format=csv``: which process computes on which GPU, as the driver knows it.

PIDs are those of the host, or of the namespace the tool ran in. Without processes there is a header and nothing below it,
which is a fact; inside a container the table is often empty although GPUs are busy.
"""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.core.units import parse_bytes
from numaaudit.parse.csv_table import Row, read_table
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none


class ComputeApp(NamedTuple):
    """One row; the name can be ``[Insufficient Permissions]``-like and is then None; memory in bytes."""

    gpu_uuid: str | None
    pci_address: PciAddress | None
    pid: int | None
    process_name: str | None
    used_bytes: int | None
    line: int


class NvidiaSmiComputeApps(NamedTuple):
    """Rows as printed; a process on two GPUs has two."""

    apps: tuple[ComputeApp, ...]


def parse(text: str) -> NvidiaSmiComputeApps:
    """ParseError without a header that names ``pid``."""
    rows = read_table(text, _names_processes, "process_name")
    return NvidiaSmiComputeApps(tuple(app for app in map(_app, rows) if app.pid is not None))


def _names_processes(names: set[str]) -> bool:
    return "pid" in names


def _app(row: Row) -> ComputeApp:
    name = row.cells.get("process_name") or row.cells.get("name")
    memory = "used_gpu_memory" if "used_gpu_memory" in row.cells else "used_memory"
    return ComputeApp(
        row.cells.get("gpu_uuid"),
        _address(row.cells.get("gpu_bus_id")),
        int_or_none(row.cells.get("pid")),
        None if name is None or name.startswith("[") else name,
        _bytes(row.cells.get(memory), row.units.get(memory, "MiB")),
        row.line,
    )


def _bytes(cell: str | None, unit: str) -> int | None:
    """``1024 MiB``, or ``1024`` where the header holds the unit (``nounits``)."""
    try:
        return None if cell is None else parse_bytes(f"{cell} {unit}" if cell.isdigit() else cell)
    except ParseError:
        return None


def _address(text: str | None) -> PciAddress | None:
    try:
        return PciAddress.parse(text) if text else None
    except ParseError:
        return None


PARSER = Parser(
    parse,
    reads=(Command(("nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv")),),
    looks_like=(
        r"^(?=[^\n]*\bpid\b)(?=[^\n]*\b(?:gpu_uuid|gpu_bus_id|process_name|gpu_serial|used_gpu_memory|used_memory)\b)"
        r"[ \t]*(?:[a-z_][\w.]*(?: \[[^\n\]]{1,8}\])?,[ \t]*)+[a-z_][\w.]*(?: \[[^\n\]]{1,8}\])?[ \t\r]*$"
    ),
)
