"""# gpu-clocks-held-down (NA405)

Placement does not explain this: heat, power or the power supply holds a GPU's clocks down.

## What it checks

Each GPU of which `nvidia-smi -q -d PERFORMANCE,POWER,CLOCK` was collected. It fails, as a note (`info`), while a hardware
slowdown (HW Slowdown, HW Thermal Slowdown, HW Power Brake Slowdown) or SW Thermal Slowdown is active; SW Power Cap only
where the SM clock is below `least_clock_percent` (80) percent of its maximum, as every GPU at full load touches its limit.
Nothing is said of a GPU that idles.

## Why it matters

A hardware slowdown halves the clock at least. One hot GPU is one slow rank, which all others wait for: the same picture as a rank
on the wrong NUMA node, and no mask helps against it.

## Evidence

The lines that say `Active` below "Clocks Event Reasons" (before driver 530 "Clocks Throttle Reasons"). They are of the moment of
collecting: what comes and goes can be missed. Unknown where the driver prints `N/A`.

## How to fix

Heat: look at fans, filters, inlet temperature, and at the same slot of a sister host. Power brake: look at the power supplies and
the chassis' power budget. Power cap: compare `Current Power Limit` with `Default Power Limit`, and with the other GPUs.

## How to verify

`nvidia-smi -q -d PERFORMANCE` under load prints `Not Active` for all of these.

## False positives

A power limit that was lowered on purpose. A short spike of heat right at the moment of collecting.

## References

- https://docs.nvidia.com/deploy/nvidia-smi/index.html
- https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.model.evidence import cite_line
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_smi_clocks import GpuClocks, NvidiaSmiClocks, Reason
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA405", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO, experimental=True)
MESSAGE = "Placement does not explain this: the clocks of GPU {gpu} are held down ({reasons})."
FIX = "Look at cooling, power supply and power limit of GPU {gpu} before anything else."
_SLOWDOWNS = ("HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown", "SW Thermal Slowdown")


class Thresholds(NamedTuple):
    """``least_clock_percent``: of its maximum, the SM clock that a power limit may cost without a word."""

    least_clock_percent: int = 80


def check(found: tuple[Found[NvidiaSmiClocks], ...], devices: Devices, ranks: Ranks, thresholds: Thresholds) -> Iterator[Judgement]:
    for each in found[:1]:
        for clocks in each.record.gpus:
            gpu = next((gpu for gpu in devices.gpus if gpu.pci_address == clocks.pci_address), None)
            judgement = _judge(clocks, each, thresholds)
            yield judgement._replace(
                related=tuple(rank.subject for rank in ranks.all if gpu and gpu in rank.gpus),
                canonical=gpu.canonical if gpu else judgement.subject,
            )


def _judge(clocks: GpuClocks, found: Found[NvidiaSmiClocks], thresholds: Thresholds) -> Judgement:
    subject = f"gpu:{clocks.pci_address}"
    if clocks.reasons is None:
        return unknown(subject, Gap("absent", found.file.path, "the driver does not say what holds its clocks down"))
    if any(reason.name in ("Idle", "GPU Idle") for reason in clocks.reasons):
        return not_applicable(subject)
    slowing = [reason for reason in clocks.reasons if _slows(reason, clocks, thresholds)]
    if not slowing:
        return ok(subject)
    reasons = ", ".join(reason.name for reason in slowing)
    evidence = tuple(cite_line(found.file, reason.line) for reason in slowing[:3])
    return fail(subject, evidence=evidence, gpu=str(clocks.pci_address), reasons=reasons)


def _slows(reason: Reason, clocks: GpuClocks, thresholds: Thresholds) -> bool:
    if reason.name != "SW Power Cap":
        return reason.name in _SLOWDOWNS
    if clocks.sm_mhz is None or clocks.max_sm_mhz is None:
        return False
    return clocks.sm_mhz * 100 < clocks.max_sm_mhz * thresholds.least_clock_percent
