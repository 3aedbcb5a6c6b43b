"""``nvidia-smi topo -m``: how GPUs and NICs reach each other, and the CPUs and NUMA nodes that are local to each GPU.

The driver prints one tab-separated table. Its trailing columns grew over the years: CPU Affinity, then NUMA Affinity (about
R450), then GPU NUMA ID (about R535), which is set only where GPU memory is a NUMA node (Grace). Older drivers name NIC columns
after the device, newer ones NICn with a legend. CPU lists longer than the driver's buffer end early without a sign.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import cpus_or_none, int_or_none, known, lines_of, nodes_or_none

CPU_AFFINITY, NUMA_AFFINITY, GPU_NUMA_ID = "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"
_AFFINITIES = (CPU_AFFINITY, NUMA_AFFINITY, GPU_NUMA_ID)
_MAX_HEADER_LINES = 16

_COLUMN = re.compile(r"CPU\s*Affinity|NUMA\s*Affinity|GPU\s*NUMA\s*ID|GPU\d{1,4}|NIC\d{1,4}|mlx\d+_(?:bond_)?\d+|[A-Za-z][\w.:-]*")
_HEADER = re.compile(r"GPU\d{1,4}[ \t]+(?:GPU\d|NIC\d|CPU[ \t]*Aff|[a-z])")
_ROW = re.compile(r"GPU\d{1,4}[ \t]+(?:X|NV\d|NODE|SYS|PIX|PXB|PHB|SOC)")
# Cells can run together; a level this list does not know has to stand alone.
_LEVEL = re.compile(r"[ \t]*(NV\d{1,2}|NODE|SYS|PIX|PXB|PHB|SOC|PSB|C2C|N/A|X(?![A-Z])|[A-Z]{3,5}(?=\s|$))")
_AFFINITY_TEXT = re.compile(r"[\d,\-/NA \t]*")
_FUSED_NA = re.compile(r"(?<=\d)(?=N/A)")
_WORD = re.compile(r"\S+")
_RUN = re.compile(r"(\d{1,5})-(\d{1,5})")
_LEGEND = re.compile(r"(?:^|\s)(NIC\d{1,4}):[ \t]*([^\n]*)")
_DEVICE = re.compile(r"[A-Za-z][\w.:-]*")


class TopoGpu(NamedTuple):
    """One GPU row. ``affinity_clipped``: the printed list may end early. ``affinity_unreadable``: cells cannot be told apart."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    cpu_affinity: CpuSet | None
    numa_affinity: NodeSet | None
    gpu_numa_id: int | None
    affinity_clipped: bool = False
    affinity_unreadable: bool = False


class TopoNic(NamedTuple):
    """A NIC column; ``name`` is the RDMA device of the legend or the header, None where neither tells."""

    label: str
    name: str | None


class TopoLink(NamedTuple):
    """The cell in row ``a`` and column ``b``, as printed; a matrix need not be symmetric."""

    a: str
    b: str
    level: str


class NvidiaSmiTopo(NamedTuple):
    """``columns``: the devices of the header. ``gpus``: the rows that are there, fewer in a cut table."""

    columns: tuple[str, ...]
    gpus: tuple[TopoGpu, ...]
    nics: tuple[TopoNic, ...]
    links: tuple[TopoLink, ...]


class _Header(NamedTuple):
    devices: tuple[str, ...]
    affinities: tuple[str, ...]
    starts: dict[str, int]  # offset of each column in the header line
    label: re.Pattern[str]  # a device's name where a row begins


class _Row(NamedTuple):
    label: str
    text: str  # from the label on
    levels: tuple[str, ...]
    last_level: int  # offset of the last level in ``text``
    end: int  # offset of what follows the levels


def parse(text: str) -> NvidiaSmiTopo:
    """The first matrix of the text; ParseError where there is none."""
    lines = lines_of(text)
    for first, line in enumerate(lines):
        if not _HEADER.search(line):
            continue
        header, number = _read_header(lines, first)
        rows, number = _read_rows(lines, number, header)
        if rows:
            return _topology(header, rows, _legend(lines, number))
    raise ParseError("no GPU columns followed by a GPU row", 1)


def _topology(header: _Header, rows: list[_Row], legend: dict[str, str]) -> NvidiaSmiTopo:
    nics = [label for label in header.devices if not label.startswith("GPU")]
    return NvidiaSmiTopo(
        header.devices,
        tuple(_gpu(row, header, _offsets(rows, header)) for row in rows),
        tuple(TopoNic(label, _nic_name(label, legend)) for label in nics),
        tuple(TopoLink(row.label, *cell) for row in rows for cell in _cells(row, header) if cell[0] != row.label),
    )


def _read_header(lines: list[str], first: int) -> tuple[_Header, int]:
    """The header, which a narrow terminal breaks over lines, and the number of the line after it."""
    end = first + 1
    while end < len(lines) and end - first < _MAX_HEADER_LINES and lines[end].strip() and not _ROW.search(lines[end]):
        end += 1
    if end == len(lines) or not _ROW.search(lines[end]):
        end = first + 1
    return _columns("".join(lines[first:end])), end


def _columns(text: str) -> _Header:
    starts: dict[str, int] = {}
    for match in _COLUMN.finditer(text, text.index("GPU")):
        starts.setdefault(_spaced(match[0]), match.start())
    affinities = tuple(name for name in starts if name in _AFFINITIES)
    end = min((starts[name] for name in affinities), default=len(text))
    devices = tuple(name for name, start in starts.items() if start < end)
    names = "|".join(re.escape(name) for name in sorted(devices, key=len, reverse=True))
    return _Header(devices, affinities, starts, re.compile(rf"(?<![\w.-])({names})(?=[ \t])"))


def _spaced(name: str) -> str:
    """``CPUAffinity``, as a broken line leaves it, is ``CPU Affinity``."""
    squeezed = "".join(name.split())
    return next((column for column in _AFFINITIES if column.replace(" ", "") == squeezed), name)


def _read_rows(lines: list[str], number: int, header: _Header) -> tuple[list[_Row], int]:
    """The GPU rows and the number of the line after the matrix."""
    rows: dict[str, _Row] = {}
    while number < len(lines):
        match = header.label.search(lines[number])
        row = _split(match[1], lines[number][match.start() :], header) if match else None
        if lines[number].strip() and (row is None or not row.levels):
            break
        number += 1
        while row and number < len(lines) and (longer := _continued(row, lines[number], header)):
            row, number = longer, number + 1
        if row and row.label.startswith("GPU"):
            rows.setdefault(row.label, row)
    return list(rows.values()), number


def _split(label: str, text: str, header: _Header) -> _Row:
    levels: list[str] = []
    last, end = 0, len(label)
    while len(levels) < len(header.devices) and (match := _LEVEL.match(text, end)):
        levels.append(match[1])
        last, end = match.start(1), match.end()
    return _Row(label, text, tuple(levels), last, end)


def _continued(row: _Row, line: str, header: _Header) -> _Row | None:
    """The row with the next line, if that line is its broken-off end; the break may be inside a word or between two."""
    if not line.strip() or header.label.search(line) or _HEADER.search(line):
        return None
    wanted = len(header.affinities) if row.label.startswith("GPU") else 0
    complete = len(row.levels) == len(header.devices)
    if complete and (len(row.text[row.end :].split()) >= wanted or not _AFFINITY_TEXT.fullmatch(line)):
        return None
    longer = [_split(row.label, row.text + glue + line, header) for glue in ("", " ")]
    best = max(longer, key=lambda candidate: (len(candidate.levels), _affinity(candidate, header) is not None))
    return best if complete or len(best.levels) > len(row.levels) else None


def _cells(row: _Row, header: _Header) -> list[tuple[str, str]]:
    """(column, level); nothing where a cell is blank and the others cannot be placed."""
    if len(row.levels) == len(header.devices) or not row.text[row.end :].strip():
        return [cell for cell in zip(header.devices, row.levels) if cell[1] != "N/A"]
    by_tab = [cell.strip() for cell in row.text.split("\t")[1 : len(header.devices) + 1]]
    if len(by_tab) < len(header.devices) or not all(not cell or _LEVEL.fullmatch(cell) for cell in by_tab):
        return []
    return [cell for cell in zip(header.devices, by_tab) if cell[1] and cell[1] != "N/A"]


def _gpu(row: _Row, header: _Header, offsets: dict[int, str]) -> TopoGpu:
    own = _affinity(row, header)
    cells = _below_others(row, offsets) if own is None else own
    printed = known((cells or {}).get(CPU_AFFINITY, "")) or ""
    found = cells or {}
    return TopoGpu(
        int(row.label[3:]),
        cpus_or_none(found.get(CPU_AFFINITY)),
        nodes_or_none(found.get(NUMA_AFFINITY)),
        int_or_none(found.get(GPU_NUMA_ID)),
        _may_be_clipped(printed),
        cells is None,
    )


def _affinity(row: _Row, header: _Header) -> dict[str, str] | None:
    """Affinity column to its text; columns that are blank are left out. None: the cells cannot be told apart."""
    names = header.affinities
    if len(row.levels) < len(header.devices):
        return None if names else {}
    rest = re.sub(r",[ \t]{1,8}(?=\d)", ",", row.text[row.end :])
    words = _FUSED_NA.sub(" ", rest).split()
    if len(words) == len(names):
        return dict(zip(names, words))
    apart = _unfused(words[0]) if words and len(words) == len(names) - 1 else None
    if apart:
        return dict(zip(names, [*apart, *words[1:]]))
    return _by_tab(rest, names) if "\t" in rest else _by_offset(row, header)


def _unfused(word: str) -> tuple[str, str] | None:
    """``0-47,96-1430`` as CPU list and NUMA node, where only one cut leaves runs of one length (a core's siblings)."""
    cuts = [(word[:at], word[at:]) for at in (len(word) - 1, len(word) - 2)]
    fitting = [cut for cut in cuts if re.fullmatch(r"0|[1-9]\d?", cut[1]) and _is_even(cut[0])]
    return fitting[0] if len(fitting) == 1 else None


def _is_even(cpus: str) -> bool:
    runs = [_RUN.fullmatch(part) for part in cpus.split(",")]
    sizes = {int(run[2]) - int(run[1]) if run else -1 for run in runs}
    return len(runs) > 1 and len(sizes) == 1 and sizes.pop() > 0


def _by_tab(rest: str, names: tuple[str, ...]) -> dict[str, str] | None:
    cells = [cell.strip() for cell in rest.lstrip(" ").split("\t")[1:]]
    while len(cells) > len(names) and "" in cells:  # the driver prints two tabs before GPU NUMA ID
        del cells[len(cells) - 1 - cells[::-1].index("")]
    return {name: cell for name, cell in zip(names, cells) if cell} if len(cells) <= len(names) else None


def _by_offset(row: _Row, header: _Header) -> dict[str, str] | None:
    """Cells that begin below their column's name; a row may be shifted against its header, but evenly."""
    shift = row.last_level - (row.levels[-1] == "X") - header.starts[header.devices[-1]]
    placed: dict[str, str] = {}
    for match in re.finditer(r"\S+", row.text[row.end :]):
        start = match.start() + row.end - shift
        name = next((name for name in header.affinities if abs(header.starts[name] - start) <= 1), None)
        if name:
            placed[name] = match[0]
        elif known(match[0]):
            return None
    # a CPU list without a NUMA node beside it may have swallowed it: "0-310" for "0-31" and "0"
    swallowed = CPU_AFFINITY in placed and NUMA_AFFINITY in header.affinities and NUMA_AFFINITY not in placed
    return None if swallowed else placed


def _offsets(rows: list[_Row], header: _Header) -> dict[int, str]:
    """Where the affinity cells of complete rows begin, as far as all these rows agree."""
    names: dict[int, set[str]] = {}
    for row in rows:
        words = list(_WORD.finditer(row.text, row.end))
        if len(row.levels) == len(header.devices) and len(words) == len(header.affinities):
            for name, word in zip(header.affinities, words):
                names.setdefault(word.start(), set()).add(name)
    return {offset: found.pop() for offset, found in names.items() if len(found) == 1}


def _below_others(row: _Row, offsets: dict[int, str]) -> dict[str, str] | None:
    """Cells that begin where those of complete rows do: a blank one among them is blank. None if one begins elsewhere."""
    words = {word.start(): word[0] for word in _WORD.finditer(row.text, row.end)}
    return {offsets[start]: text for start, text in words.items()} if words and words.keys() <= offsets.keys() else None


def _may_be_clipped(printed: str) -> bool:
    """Whether a list looks cut by the driver: six or more lone CPUs, evenly apart (``0,2,4,6,8,10`` of a 96-CPU host)."""
    numbers = [number for part in printed.split(",") if (number := int_or_none(part)) is not None]
    steps = {b - a for a, b in pairwise(numbers)}
    return len(numbers) >= 6 and len(numbers) == printed.count(",") + 1 and len(steps) == 1


def _legend(lines: list[str], number: int) -> dict[str, str]:
    names: dict[str, str] = {}
    for line in lines[number:]:
        if _HEADER.search(line):
            break
        match = _LEGEND.search(line)
        if match:
            names.setdefault(match[1], match[2].strip())
    return names


def _nic_name(label: str, legend: dict[str, str]) -> str | None:
    """The device behind a column. Some drivers print scraps of memory in the legend; those are no names."""
    name = legend.get(label, "") if label.startswith("NIC") else label
    return name if _DEVICE.fullmatch(name) else None


PARSER = Parser(
    parse,
    reads=(Command(("nvidia-smi", "topo", "-m")),),
    looks_like=(
        r"^[^\n]{0,80}?GPU\d{1,4}[ \t]+(?:(?:GPU|NIC)\d[^\n]*|CPU[ \t]*Aff[^\n]*|[a-z][^\n]*)\n"
        r"(?:[^\n]*\n){0,4}?[^\n]{0,80}?GPU\d{1,4}[ \t]+(?:X|NV\d|NODE|SYS|PIX|PXB|PHB|SOC)[ \t\n]"
    ),
)
