"""Which GPUs a process can see, in which order, by its environment as it was at exec.

``CUDA_VISIBLE_DEVICES`` as the CUDA driver reads it (CUDA Programming Guide, environment variables; PyTorch's
``torch/cuda/__init__.py`` repeats the rules), ``ROCR_VISIBLE_DEVICES`` below ``HIP_VISIBLE_DEVICES`` (ROCm documentation, GPU
isolation; ROCm/clr ``rocdevice.cpp``), ``ASCEND_RT_VISIBLE_DEVICES`` (CANN documentation). What a process sets later is not here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from numaaudit.bundle.tree import Gap
from numaaudit.model.gpus import Gpu

CUDA, ORDER, CONTAINER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES"
HIP, ROCR, ASCEND = "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"
LEVEL_ZERO, HABANA = "ZE_AFFINITY_MASK", "HABANA_VISIBLE_MODULES"

# The variables each vendor's runtime reads.
_READ_BY = {
    "nvidia": (CUDA, ORDER, CONTAINER),
    "amd": (ROCR, HIP, CUDA),
    "hygon": (ROCR, HIP, CUDA),
    "huawei": (ASCEND,),
    "intel": (LEVEL_ZERO,),
    "habana": (HABANA,),
}
VISIBLE = (CUDA, ORDER, CONTAINER, HIP, ROCR, ASCEND, LEVEL_ZERO, HABANA)

Visible = tuple[Gpu, ...] | Gap


def visible_gpus(environ: Mapping[str, str], gpus: Iterable[Gpu]) -> Visible:
    """The GPUs by the process's own ordinal; a Gap where set or order cannot be known from the environment."""
    by_vendor: dict[str | None, list[Gpu]] = {}
    for gpu in gpus:
        by_vendor.setdefault(gpu.vendor, []).append(gpu)
    if not by_vendor:
        return ()
    named = [vendor for vendor in by_vendor if vendor and any(name in environ for name in _READ_BY.get(vendor, ()))]
    vendors = named if len(by_vendor) > 1 else list(by_vendor)
    if len(vendors) != 1 or vendors[0] is None:
        return _unknown("", "GPUs of several vendors or of an unknown one")
    return _of_vendor(vendors[0], environ, by_vendor[vendors[0]])


def _of_vendor(vendor: str, environ: Mapping[str, str], gpus: list[Gpu]) -> Visible:
    if vendor == "nvidia":
        return _cuda(environ, gpus)
    if vendor in ("amd", "hygon"):
        return _rocm(environ, gpus)
    if vendor == "huawei":
        return _ascend(environ, gpus)
    numbered = next((name for name in _READ_BY.get(vendor, ()) if name in environ), None)
    # Tiles by the driver's hierarchy mode, or module ids: no number the host's files have.
    return _unknown(numbered, "its numbers are not those of the host's GPUs") if numbered else _in_order(gpus)


def _unknown(variable: str, reason: str) -> Gap:
    return Gap("ambiguous", variable, reason)


def _in_order(gpus: Sequence[Gpu]) -> Visible:
    """By PCI address, else by the vendor tool's index."""
    if all(gpu.pci_address for gpu in gpus):
        return tuple(sorted(gpus, key=lambda gpu: gpu.pci_address or ()))
    if all(gpu.index is not None for gpu in gpus):
        return tuple(sorted(gpus, key=lambda gpu: gpu.index or 0))
    return _unknown("", "neither PCI address nor index of every GPU is known")


def _by_index(gpus: Sequence[Gpu]) -> Visible:
    """By the vendor tool's index, else by PCI address."""
    if all(gpu.index is not None for gpu in gpus):
        return tuple(sorted(gpus, key=lambda gpu: gpu.index or 0))
    return _in_order(gpus)


# ---- NVIDIA


def _cuda(environ: Mapping[str, str], gpus: list[Gpu]) -> Visible:
    mapped = _in_container(environ.get(CONTAINER, ""), gpus)
    if isinstance(mapped, Gap):
        return mapped
    value = environ.get(CUDA)
    first = (value or "").split(",")[0].strip()
    if first.startswith(("GPU-", "MIG-")):
        return _by_name(value or "", first[:4], mapped)
    if value is not None and _number(first) is None:
        return ()
    ordered = _in_cuda_order(environ, mapped)
    return ordered if value is None or isinstance(ordered, Gap) else _by_ordinal(value, ordered)


def _in_container(value: str, gpus: list[Gpu]) -> Visible:
    """The devices the container toolkit mapped: NVML indices or UUIDs of the host, whose order means nothing."""
    words = [word.strip() for word in value.split(",")]
    if words[0] in ("", "all"):
        return tuple(gpus)
    if words[0] == "none":
        return ()
    if words[0] == "void":  # the devices came another way: a volume mount, or CDI
        return _unknown(CONTAINER, "void: the container's devices are not named")
    chosen = [gpu for gpu in gpus if _is_named(gpu, words)]
    return tuple(chosen) if chosen else _unknown(CONTAINER, "names no GPU of this host")


def _is_named(gpu: Gpu, words: list[str]) -> bool:
    parts = [mig.mig_uuid for mig in gpu.mig if mig.mig_uuid]
    return any(
        word in (gpu.gpu_uuid, str(gpu.index), *parts) or (gpu.gpu_uuid and word.startswith(f"MIG-{gpu.gpu_uuid}/")) for word in words
    )


def _in_cuda_order(environ: Mapping[str, str], gpus: Sequence[Gpu]) -> Visible:
    """PCI order if that is asked for, or if all GPUs are equally fast."""
    models = {gpu.model for gpu in gpus}
    if environ.get(ORDER) != "PCI_BUS_ID" and len(gpus) > 1 and (len(models) > 1 or None in models):
        return _unknown(ORDER, "the fastest GPU comes first, and the models differ or are not known")
    return _in_order(gpus)


def _number(word: str) -> int | None:
    """A number as strtoul reads it: ``1gpu2`` is 1; None for none, or a negative one."""
    match = re.match(r"\s*\+?([0-9]{1,9})", word)
    return int(match[1]) if match else None


def _by_ordinal(value: str, ordered: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """Up to the first invalid number; a number that comes twice leaves nothing."""
    chosen: list[int] = []
    for word in value.split(","):
        number = _number(word)
        if number in chosen:
            return ()
        if number is None or number >= len(ordered):
            break
        chosen.append(number)
    return tuple(ordered[number] for number in chosen)


def _by_name(value: str, prefix: str, gpus: Sequence[Gpu]) -> Visible:
    """UUIDs or unique beginnings of them, of GPUs or of MIG devices, up to the first that is of another kind or unknown."""
    words = [word.strip() for word in value.split(",")]
    chosen: list[tuple[str, Gpu]] = []
    for word in words:
        found = {name: gpu for gpu in gpus for name in _names(gpu, word) if name.startswith(word)}
        if not word.startswith(prefix) or len(found) > 1:
            break
        if not found:
            if prefix == "MIG-" or any(gpu.gpu_uuid is None for gpu in gpus):
                return _unknown(CUDA, f"{word} is no device that is known here")
            break
        match = next(iter(found.items()))
        if match in chosen:
            return ()
        chosen.append(match)
    return tuple(gpu for _, gpu in chosen)


def _names(gpu: Gpu, word: str) -> list[str]:
    """The names of a GPU that a word of this kind can begin; ``MIG-GPU-<uuid>/1/0`` names a part of it (before driver 470)."""
    if word.startswith("MIG-GPU-"):
        return [word] if gpu.gpu_uuid and word.startswith(f"MIG-{gpu.gpu_uuid}/") else []
    if word.startswith("MIG-"):
        return [mig.mig_uuid for mig in gpu.mig if mig.mig_uuid]
    return [gpu.gpu_uuid] if gpu.gpu_uuid else []


# ---- AMD


def _rocm(environ: Mapping[str, str], gpus: list[Gpu]) -> Visible:
    """ROCR_VISIBLE_DEVICES first; HIP's numbers count in what remains. An empty HIP variable is none."""
    ordered = _by_index(gpus)
    if not isinstance(ordered, Gap) and ROCR in environ:
        ordered = _filtered(ROCR, environ[ROCR], ordered)
    name = HIP if environ.get(HIP) else CUDA
    if isinstance(ordered, Gap) or not environ.get(name):
        return ordered
    return _filtered(name, environ[name], ordered)


def _filtered(variable: str, value: str, ordered: Sequence[Gpu]) -> Visible:
    """Numbers and ``GPU-<uuid>``, mixed, up to the first that is invalid or comes twice."""
    chosen: list[Gpu] = []
    for word in (part.strip() for part in value.split(",")):
        if word.startswith("GPU-") and any(gpu.gpu_uuid is None for gpu in ordered):
            return _unknown(variable, "the UUIDs of the GPUs are not known")
        number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else None
        matches = [gpu for index, gpu in enumerate(ordered) if index == number or gpu.gpu_uuid == word]
        if len(matches) != 1 or matches[0] in chosen:
            break
        chosen.append(matches[0])
    return tuple(chosen)


# ---- Huawei


def _ascend(environ: Mapping[str, str], gpus: list[Gpu]) -> Visible:
    """Logical ids, ascending; reading stops at the first character that is neither digit nor comma."""
    ordered = _by_index(gpus)
    if isinstance(ordered, Gap) or ASCEND not in environ:
        return ordered
    digits = re.split(r"[^0-9,]", environ[ASCEND], maxsplit=1)[0]
    ids = [int(word) for word in digits.split(",") if word and len(word) < 10]
    if ids != sorted(set(ids)):
        return _unknown(ASCEND, "ids that do not ascend")
    return tuple(ordered[number] for number in ids if number < len(ordered))
