"""``/proc/driver/nvidia/gpus/ADDRESS/information`` (NVIDIA open-gpu-kernel-modules ``kernel-open/nvidia/nv-procfs.c``)."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class NvidiaInformation(NamedTuple):
    """One GPU as the driver knows it. None: not printed, or not known to the driver yet."""

    pci_address: PciAddress | None  # Bus Location
    gpu_minor: int | None  # Device Minor: N of /dev/nvidiaN; not the order of nvidia-smi or of CUDA
    gpu_uuid: str | None  # GPU UUID; question marks before the first initialisation
    model: str | None  # Model; "Unknown" for devices newer than the driver
    irq: int | None  # IRQ
    firmware: str | None  # GPU Firmware
    is_excluded: bool | None  # GPU Excluded, older drivers Blacklisted: has a folder here, but no index in CUDA and NVML


def parse(text: str) -> NvidiaInformation:
    """Read ``Label: value`` lines; ParseError if no label is known or a value is impossible."""
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, line in numbered(text):
        label, _, value = line.partition(":")
        values[label.strip()], lines[label.strip()] = value.strip(), number
    if "Device Minor" not in values and "Bus Location" not in values:
        raise ParseError("neither Bus Location nor Device Minor")
    excluded = values.get("GPU Excluded", values.get("Blacklisted"))
    return NvidiaInformation(
        pci_address=PciAddress.parse(values["Bus Location"]) if "Bus Location" in values else None,
        gpu_minor=_number(values, lines, "Device Minor"),
        gpu_uuid=_known(values, "GPU UUID"),
        model=_known(values, "Model"),
        irq=_number(values, lines, "IRQ"),
        firmware=_known(values, "GPU Firmware"),
        is_excluded=None if excluded is None else excluded == "Yes",
    )


def _known(values: dict[str, str], label: str) -> str | None:
    value = values.get(label, "")
    return None if value in ("", "N/A", "Unknown") or "??" in value else value


def _number(values: dict[str, str], lines: dict[str, int], label: str) -> int | None:
    value = _known(values, label)
    return None if value is None else decimal(value, lines[label])


PARSER = Parser(parse, reads=("proc/driver/nvidia/gpus/*/information",), looks_like=r"^Model:[^\n]*\nIRQ:[ \t]")
