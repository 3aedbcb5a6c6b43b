"""``/proc/driver/nvidia/params`` (NVIDIA open-gpu-kernel-modules ``kernel-open/nvidia/nv-procfs.c``): the module's parameters."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import numbered
from numaaudit.parse.parser import Parser


class NvidiaParams(NamedTuple):
    """The parameters that decide where GPU memory appears. None: this driver does not print it, or it is empty."""

    coherent_gpu_memory_mode: str | None  # CoherentGPUMemoryMode: driver keeps GPU memory out of the kernel's NUMA nodes
    excluded_gpus: str | None  # ExcludedGpus, older drivers GpuBlacklist: UUIDs and PCI addresses


def parse(text: str) -> NvidiaParams:
    """Read ``Name: value`` lines; ParseError if there is none."""
    values: dict[str, str] = {}
    for number, line in numbered(text):
        name, colon, value = line.partition(":")
        if not colon:
            raise ParseError("not a parameter", number)
        values[name.strip()] = value.strip().strip('"')
    if not values:
        raise ParseError("no parameters")
    return NvidiaParams(values.get("CoherentGPUMemoryMode") or None, values.get("ExcludedGpus") or values.get("GpuBlacklist") or None)


PARSER = Parser(parse, reads=("proc/driver/nvidia/params",))
