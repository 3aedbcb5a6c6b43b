"""``nvidia-smi -L``: GPUs and their MIG devices. Environment reports print the same lines without the UUIDs."""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import known, lines_of

_REPORT = r"(?:GPU models and configuration[ \t]*:[ \t]*)?"  # of PyTorch's and vLLM's collect_env, before the first GPU
_GPU = re.compile(rf"[ \t]*{_REPORT}GPU (\d{{1,4}}): (.*)")
_UUID = re.compile(r"\(UUID: ([^\s)]+)\)?")
_MIG = re.compile(r"[ \t]*MIG (\S+)[ \t]+Device[ \t]+(\d{1,3}):[ \t]*(?:\(UUID: ([^\s)]+)\)?)?[ \t]*")


class ListedMig(NamedTuple):
    """A MIG device: ``profile`` such as ``1g.10gb``, ``device`` its number on the GPU."""

    profile: str
    device: int
    mig_uuid: str | None


class ListedGpu(NamedTuple):
    """A GPU by the driver's index."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    model: str | None
    gpu_uuid: str | None
    mig: tuple[ListedMig, ...]


class NvidiaSmiList(NamedTuple):
    """GPUs in the driver's order."""

    gpus: tuple[ListedGpu, ...]


def parse(text: str) -> NvidiaSmiList:
    """ParseError where no line names a GPU."""
    gpus: dict[int, ListedGpu] = {}
    last = -1
    for line in lines_of(text):
        gpu, mig = _GPU.fullmatch(line), _MIG.fullmatch(line)
        if gpu and int(gpu[1]) not in gpus:
            last = int(gpu[1])
            uuid = _UUID.search(gpu[2])
            gpus[last] = ListedGpu(last, known(gpu[2][: uuid.start()] if uuid else gpu[2]), uuid[1] if uuid else None, ())
        elif mig and gpus:
            gpus[last] = gpus[last]._replace(mig=(*gpus[last].mig, ListedMig(mig[1], int(mig[2]), mig[3])))
        elif gpus and line.strip():
            break
    if not gpus:
        raise ParseError("no line names a GPU", 1)
    return NvidiaSmiList(tuple(gpus.values()))


_LINE = r"[ \t]*(?:GPU \d{1,4}: |MIG \S+[ \t]+Device)"

PARSER = Parser(
    parse,
    reads=(Command(("nvidia-smi", "-L")),),
    looks_like=(
        rf"^[ \t]*{_REPORT}GPU \d{{1,4}}: (?=[^\n]*\(UUID: |(?:NVIDIA|Tesla|Quadro|GeForce|GRID|A\d{{2,3}}|H\d{{3}}|L\d)\b)"
        rf"[^\n]*(?:\n{_LINE}[^\n]*)*"
    ),
)
