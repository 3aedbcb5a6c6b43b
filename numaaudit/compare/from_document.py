"""A snapshot of an earlier output: ``numaaudit.host/1`` has the model but no findings, ``numaaudit.report/1`` only findings."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from numaaudit.bundle.limits import LIMITS
from numaaudit.compare.from_host import card, classes
from numaaudit.compare.snapshot import Fact, Pages, Recorded, Role, Snapshot
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import InputError, ParseError, shown
from numaaudit.core.marks import MARKS
from numaaudit.core.units import GIB
from numaaudit.model.hardware_class import Aspects, HardwareClass, Part
from numaaudit.model.sections.hardware import model_name
from numaaudit.parse.json_text import by_numa_node, optional, read_object, required, texts, typed

HOST, REPORT = "numaaudit.host/1", "numaaudit.report/1"
_NOTHING = HardwareClass({})


class Document(NamedTuple):
    """One of our outputs in JSON. ``sha256`` of the file."""

    content: dict[str, Any]
    sha256: str


def read_document(path: str) -> Document | None:
    """The JSON document in a file; None for anything that is none of numaaudit's."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        start = file.read(1024).lstrip()
        if not start.startswith(b"{") or b'"schema"' not in start:
            return None
        file.seek(0)
        data = file.read(LIMITS.document_bytes + 1)
    try:
        document = read_object(data.decode("utf-8", "backslashreplace"))
    except ParseError as error:
        raise InputError(f"{path}: {error.reason}") from None
    is_ours = str(document.get("schema")).startswith("numaaudit.")
    return Document(document, hashlib.sha256(data).hexdigest()) if is_ours else None


def snapshot_of_document(document: dict[str, Any], path: str) -> Snapshot:
    """The snapshot of a model or a report. InputError for another document, or a damaged one."""
    readers = {HOST: _of_host, REPORT: _of_report}
    schema = str(document.get("schema"))
    if schema not in readers:
        raise InputError(f"{path}: {shown(schema)} cannot be compared", f"name a bundle, or an output in JSON: {HOST} or {REPORT}")
    try:
        return readers[schema](document)
    except ParseError as error:
        raise InputError(f"{path}: not a whole {schema}: {error.reason}") from None


# -- numaaudit.report/1


def _of_report(document: dict[str, Any]) -> Snapshot:
    findings = tuple(_recorded(typed(each, dict, "a finding")) for each in required(document, "findings", list))
    rule_set = required(document, "rule_set", str)
    return Snapshot(REPORT, None, _NOTHING, None, {}, None, findings, rule_set, None)


def _recorded(finding: dict[str, Any]) -> Recorded:
    names = ("fingerprint", "rule", "name", "subject", "outcome", "severity")
    return Recorded(*(required(finding, name, str) for name in names))


# -- numaaudit.host/1


def _of_host(document: dict[str, Any]) -> Snapshot:
    host = required(document, "host", dict)
    mark = optional(host, "mark", str)
    gpus = _rows(document, "gpus")
    cards = {
        uuid: card(_slot(gpu), optional(gpu, "index", int), optional(gpu, "gpu_minor", int))
        for gpu in gpus
        if (uuid := optional(gpu, "gpu_uuid", str))
    }
    uuids = {_slot(gpu): optional(gpu, "gpu_uuid", str) or _slot(gpu) for gpu in gpus}
    processes = _rows(document, "processes")
    ranks = [each for each in processes if each.get("gpus") or each.get("rank") is not None or each.get("local_rank") is not None]
    return Snapshot(
        HOST,
        optional(host, "hostname", str),
        HardwareClass(_parts(document, gpus)),
        cards or None,
        {name: optional(host, name, str) for name in ("kernel", "boot_id")},
        tuple(_role(each, uuids) for each in ranks or processes),
        None,
        None,
        optional(host, "collected_at", str),
        mark if mark in MARKS else None,
    )


def _parts(document: dict[str, Any], gpus: list[dict[str, Any]]) -> Mapping[str, Part]:
    cpus = required(document, "cpus", dict)
    present, online, isolated = (_cpus(cpus, name) for name in ("present", "online", "isolated"))
    return {
        "cpus": {"host": {"present_cpus": present, "packages": optional(cpus, "packages", int)}},
        "numa_nodes": dict(_numa_nodes(document)) or None,
        "gpus": {
            _slot(gpu): {"model": model_name(optional(gpu, "model", str)), "numa_node": optional(gpu, "numa_node", int)} for gpu in gpus
        }
        or None,
        "nics": _places(document, "nics"),
        "nvmes": _places(document, "nvmes"),
        "settings": {
            "host": {
                "online_cpus": online,
                "isolated_cpus": isolated,
                "threads_per_core": optional(cpus, "threads_per_core", int),
            }
        },
    }


def _numa_nodes(document: dict[str, Any]) -> Iterator[tuple[str, Aspects]]:
    table = optional(document, "distances", dict) or {"nodes": [], "matrix": []}
    numbers = [typed(number, int, "a NUMA node") for number in required(table, "nodes", list)]
    rows = dict(zip(numbers, required(table, "matrix", list)))
    for each in _rows(document, "numa_nodes"):
        number, size = required(each, "id", int), None if each.get("memory_bytes") is None else _bytes(each["memory_bytes"], "memory_bytes")
        row = rows.get(number)
        yield (
            str(number),
            {
                "cpus": _cpus(each, "cpus"),
                "memory_gib": None if size is None else float(round(size / GIB, 1)),
                "distances": " ".join(map(str, row)) if isinstance(row, list) and None not in row else None,
            },
        )


def _places(document: dict[str, Any], name: str) -> Part:
    rows = ((optional(each, "pci_address", str), optional(each, "numa_node", int)) for each in _rows(document, name))
    return {address: {"numa_node": numa_node} for address, numa_node in rows if address} or None


def _slot(gpu: dict[str, Any]) -> str:
    return optional(gpu, "pci_address", str) or f"#{optional(gpu, 'index', int)}"


def _role(process: dict[str, Any], uuids: Mapping[str, str]) -> Role:
    gpus = tuple(uuids.get(name, name) for name in texts(optional(process, "gpus", list) or [], "a GPU"))
    threads = _rows(process, "threads")
    facts: dict[str, Fact] = {
        "gpus": " ".join(gpus) or None,
        "allowed_cpus": _cpus(process, "allowed_cpus"),
        "effective_cpus": _cpus(process, "effective_cpus"),
        "thread_cpus": classes(cpus for each in threads if (cpus := _cpus(each, "allowed_cpus")) is not None),
        "allowed_mems": optional(process, "allowed_mems", str),
        "policy": optional(process, "policy", str),
        "thread_policies": classes(policy for each in threads if (policy := optional(each, "policy", str))),
        "anonymous_pages": _pages(process, "anon_bytes_by_node") or _sampled(process, "anon"),
    }
    number = optional(process, "rank", int)
    return Role(optional(process, "local_rank", int) if number is None else number, gpus, optional(process, "comm", str), None, None, facts)


def _pages(process: dict[str, Any], name: str) -> Pages | None:
    if optional(process, name, dict) is None:
        return None
    return Pages({number: _bytes(amount, name) for number, amount in by_numa_node(process, name).items()})


def _sampled(process: dict[str, Any], kind: str) -> Pages | None:
    """The pages of one kind as a sample has them."""
    kinds = optional(optional(process, "sampled_pages", dict) or {}, "kinds", dict) or {}
    found = optional(kinds, kind, dict) or {}
    if not optional(found, "share_by_node", dict):
        return None
    shares = by_numa_node(found, "share_by_node")
    rows = {number: [_share(row, name) for name in ("share", "low", "high")] for number, row in shares.items()}
    size = _bytes(found.get("bytes"), "bytes")
    return Pages({number: int(size * row[0]) for number, row in rows.items()}, {number: (row[1], row[2]) for number, row in rows.items()})


def _share(row: object, name: str) -> float:
    value = typed(row, dict, "a share").get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParseError(f"{name} is no share")
    return float(value)


def _bytes(value: object, what: str) -> int:
    """A number of bytes that some host may have."""
    size = typed(value, int, what)
    if not 0 <= size < 1 << 63:
        raise ParseError(f"{what} is no number of bytes")
    return size


def _cpus(owner: dict[str, Any], name: str) -> str | None:
    text = optional(owner, name, str)
    return None if text is None else str(CpuSet.parse(text))


def _rows(owner: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [typed(each, dict, name) for each in optional(owner, name, list) or []]
