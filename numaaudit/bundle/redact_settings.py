"""Settings and state of schedulers, and the kernel's log: listed lines stay, the others become empty, so that line numbers hold."""

from __future__ import annotations

import json
import re
from typing import FrozenSet, List

from numaaudit.bundle.redact_lists import GRES_OPTIONS, KUBELET_OPTIONS, SLURM_OPTIONS
from numaaudit.bundle.redact_text import MARK, redact_text

KERNEL_LINES = rb"NVRM: Xid \(PCI:|\bAER: |PCIe Bus Error: severity=|Hypervisor detected: |ACPI: RSDP |Starting gVisor"
_KERNEL_LINE = re.compile(KERNEL_LINES)
_ALLOCATION = re.compile(rb'("AllocResp"[ \t]{0,8}:[ \t]{0,8}")[^"]*')
_YAML_KEY = re.compile(rb"([A-Za-z]\w{0,60})[ \t]{0,8}:")
_SLURM_WORD = re.compile(rb"([A-Za-z]\w{0,60})=([^\s#]*)")
_SETTING = re.compile(rb"[\w,:/.\[\]-]{0,4096}")


def redact_kernel_log(data: bytes) -> bytes:
    """``dmesg``: errors of GPUs and of PCI Express, and which hypervisor the kernel found."""
    return redact_text(b"\n".join([line if _KERNEL_LINE.search(line) else b"" for line in data.split(b"\n")]))


def redact_checkpoint(data: bytes) -> bytes:
    """The kubelet's list of devices, without what the device plug-ins answered: it holds environment and mounts."""
    return _ALLOCATION.sub(lambda match: match[1] + MARK, data)


def redact_kubelet_config(data: bytes) -> bytes:
    """The kubelet's configuration: listed settings at the left margin with what is below them."""
    if data.lstrip().startswith(b"{"):
        return _json_config(data)
    kept: List[bytes] = []
    is_listed = False
    for line in data.split(b"\n"):
        key = _YAML_KEY.match(line)
        if key or (line.strip() and not line.startswith((b" ", b"-"))):
            is_listed = key is not None and key[1].decode() in KUBELET_OPTIONS
        kept.append(line if is_listed else b"")
    return b"\n".join(kept)


def _json_config(data: bytes) -> bytes:
    try:
        document = json.loads(data.decode("utf-8"))
        return json.dumps({name: value for name, value in document.items() if name in KUBELET_OPTIONS}, indent=1).encode() + b"\n"
    except (ValueError, AttributeError, RecursionError):
        return MARK + b"\n"


def redact_slurm(data: bytes) -> bytes:
    """slurm.conf and cgroup.conf, an option a line: listed options with values that look like settings."""
    return b"\n".join([_listed(line, SLURM_OPTIONS) for line in data.split(b"\n")])


def redact_gres(data: bytes) -> bytes:
    """gres.conf, a resource a line: ``Name=gpu File=/dev/nvidia[0-3] Cores=0-15``."""
    return b"\n".join([_listed(line, GRES_OPTIONS) for line in data.split(b"\n")])


def _listed(line: bytes, options: FrozenSet[str]) -> bytes:
    """Without comments, which are free text."""
    words = [word for word in _SLURM_WORD.finditer(line.partition(b"#")[0]) if word[1].decode().lower() in options]
    return b" ".join([word[0] for word in words if _SETTING.fullmatch(word[2])])
