"""What the user typed, turned into a question to the launchers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.errors import ParseError, UsageError
from numaaudit.launchers.host_view import HostView, WhatIf, view_of
from numaaudit.launchers.job import cpus_in
from numaaudit.launchers.registry import Forecast, Request, answerable, forecast, launcher_named
from numaaudit.model.gpus import Gpu
from numaaudit.model.host import Host
from numaaudit.model.visible_devices import ASCEND, CUDA, HIP, ORDER, visible_gpus

_VARIABLE = {"nvidia": CUDA, "amd": HIP, "hygon": HIP, "huawei": ASCEND}


class Typed(NamedTuple):
    """The words of the command line; None for those that were not typed."""

    launcher: str
    num_ranks: int | None
    gpus: str | None
    visible_devices: str | None
    options: tuple[str, ...]
    what_if: str | None


def forecasts(host: Host, typed: Typed) -> list[Forecast]:
    """One forecast, or for ``all`` one for every launcher that needs no option. UsageError for what makes no sense."""
    view = view_of(host, what_if_of(typed.what_if), _numbers(typed.gpus))
    options = dict(_pair(word, "--set") for word in typed.options)
    request = Request(typed.num_ranks, _visible(view, typed.visible_devices), typed.visible_devices, options)
    if typed.launcher == "all" and options:
        raise UsageError("--set goes with one launcher", "name it: --launcher NAME")
    chosen = answerable(request) if typed.launcher == "all" else [launcher_named(typed.launcher)]
    if not request.visible_gpus and request.num_ranks is None and any(each.launcher.serves_gpus for each in chosen):
        raise UsageError("no GPU is visible", "say how many ranks there are: --ranks N")
    return [forecast(each, view, request) for each in chosen]


def what_if_of(text: str | None) -> WhatIf:
    """``cpuset=0-15,32-47,mems=0``: lists hold commas, so a new name begins after one."""
    sets = dict(_pair(word, "--what-if") for word in re.split(r",(?=[a-z])", text or "") if word)
    cpus, mems = sets.pop("cpuset", None), sets.pop("mems", None)
    if sets:
        raise UsageError(f"--what-if has no {min(sets)!r}", "as in cpuset=0-15,mems=0")
    return WhatIf(None if cpus is None else cpus_in(cpus, "--what-if cpuset"), None if mems is None else _mems(mems))


def _mems(text: str) -> NodeSet:
    try:
        return NodeSet.parse(text)
    except ParseError as error:
        raise UsageError(f"--what-if mems: {error}") from None


def _numbers(text: str | None) -> tuple[int, ...] | None:
    return None if text is None else tuple(cpus_in(text, "--gpus"))


def _pair(word: str, option: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} {word!r} is no NAME=VALUE")
    return name.strip(), value.strip()


def _visible(view: HostView, text: str | None) -> tuple[Gpu, ...]:
    """The GPUs in the job's order; all of them where no list is given."""
    if text is None:
        return view.gpus
    vendors: Sequence[str] = sorted({gpu.vendor or "" for gpu in view.gpus})
    variable = _VARIABLE.get(vendors[0]) if len(vendors) == 1 else None
    if variable is None:
        raise UsageError("--visible-devices needs GPUs of one vendor whose variable is known")
    found = visible_gpus({variable: text, ORDER: "PCI_BUS_ID"}, view.gpus)
    if isinstance(found, Gap):
        raise UsageError(f"--visible-devices {text!r}: {found.reason}")
    if not found:
        raise UsageError(f"--visible-devices {text!r} names no GPU: the input has {len(view.gpus)}")
    return found
