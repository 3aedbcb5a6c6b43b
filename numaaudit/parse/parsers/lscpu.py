"""``lscpu`` (util-linux) in the language of whoever ran it.

The order of the lines and the shape of the values are the same in every locale, the words are not. So the CPU count, the
online list and the NUMA nodes are found by shape. Threads, cores and sockets are found by the stems of their names in common
translations, else as the three numbers in a row whose product is the CPU count. Decimal commas, full-width colons and a space
before the colon occur. On s390x, books and drawers are groups of sockets, not memory.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none, known, lines_of

_ARCHITECTURES = (
    r"x86_64|i[3-6]86|aarch64|arm(?:v\d\w*)?|ppc(?:64(?:le)?)?|riscv(?:32|64)|s390x?|sparc(?:64)?|mips\w*|loongarch\w*|ia64|alpha"
)
_ARCHITECTURE = re.compile(_ARCHITECTURES)
_COLON = re.compile(r"[:：]")
_MAX_KEY = 80
_LIST = re.compile(r"\d{1,5}(?:[-,:]\d{1,5})*|0x[0-9a-f,]+")
_CONTINUATION = re.compile(r"[ \t]+[\d,:-]+[ \t]*")
_NUMA_NODE = re.compile(r"\D*NUMA\D*(\d{1,4})\D*")

# Stems of a key's words in common translations, in lower case.
_THREAD = (
    "thread", "поток", "потік", "нить", "нити", "ните", "线程", "執行緒", "スレッド", "스레드", "hilo", "wątk", "vlák", "tråd", "drad",
    "fils", "fil(", "säi", "szál", "parçacı", "luồng",
)  # fmt: skip
_CORE = (
    "core", "cœur", "coeur", "kern", "ядер", "ядр", "核", "コア", "코어", "núcl", "nucl", "rdzen", "rdzeń", "jád", "jader", "kärn",
    "kjern", "ydin", "çekirdek", "mago", "magk", "nhân",
)  # fmt: skip
_SOCKET = (
    "socket", "sockel", "сокет", "座", "插槽", "ソケット", "소켓", "soquete", "gniazd", "patic", "zócalo", "sòcol", "voet", "kanta",
    "foglalat", "soket",
)  # fmt: skip
_BOOK = ("book", "buch", "книг", "ブック", "livre", "libro", "livro")
_DRAWER = ("drawer", "schublade", "ящик", "ドロワー", "tiroir", "cajón", "gaveta")
_CLUSTER = ("cluster", "кластер", "簇", "クラスタ", "grappe")
_HYPERVISOR = ("hyperv", "hiperv", "гипер", "гіпер", "超管理", "虛擬機管理", "ハイパー", "하이퍼")
_VENDOR = (
    "vendor", "anbieter", "hersteller", "constructeur", "厂商", "廠商", "ベンダ", "производител", "прроизводител", "fabricante",
    "produttore", "producent", "벤더",
)  # fmt: skip
_MODEL_NAME = (
    "model name", "modellname", "nom de modèle", "nom de la modèle", "nom del model", "nombre de model", "nombre del model",
    "nome del model", "nome do modelo", "nazwa modelu", "型号名称", "型號名稱", "モデル名", "имя модели", "назва моделі", "모델명",
    "모델 이름",
)  # fmt: skip


class LscpuNode(NamedTuple):
    """A NUMA node; ``cpus`` is empty for one without CPUs, None where the list cannot be read. It may name CPUs that are offline."""

    id: int
    cpus: CpuSet | None


class CoreBlock(NamedTuple):
    """The counts lscpu prints once per kind of core; None where it prints ``-`` or an impossible 0."""

    threads_per_core: int | None = None
    cores_per_socket: int | None = None
    sockets: int | None = None
    cores_per_cluster: int | None = None
    clusters: int | None = None


class Lscpu(NamedTuple):
    """What the text says of the host. The counts per core are None where there are several ``blocks``, one per kind of core."""

    architecture: str | None
    vendor: str | None
    model_name: str | None
    hypervisor: str | None
    cpus: int | None
    online: CpuSet | None
    offline: CpuSet | None
    threads_per_core: int | None
    cores_per_socket: int | None
    sockets: int | None
    blocks: tuple[CoreBlock, ...]
    sockets_per_book: int | None
    books_per_drawer: int | None
    drawers: int | None
    numa_node_count: int | None
    numa_nodes: tuple[LscpuNode, ...]


class _Entry(NamedTuple):
    key: str
    value: str


def parse(text: str) -> Lscpu:
    """ParseError where neither CPUs nor NUMA nodes nor counts are named."""
    entries = _entries(text)
    at = _cpu_count_at(entries)
    cpus, online, offline = _cpus(entries, at)
    blocks = _blocks(entries, cpus)
    nodes = _numa_nodes(entries)
    if at is None and not nodes and not blocks:
        raise ParseError("no CPU count, NUMA node or core count", 1)
    only = blocks[0] if len(blocks) == 1 else CoreBlock()
    return Lscpu(
        next((entry.value for entry in entries if _ARCHITECTURE.fullmatch(entry.value)), None),
        _word(entries, lambda key: _has(key, _VENDOR) and not _has(key, _HYPERVISOR)),
        _word(entries, lambda key: key.lower().startswith(_MODEL_NAME)),
        _word(entries, lambda key: _has(key, _HYPERVISOR) and _has(key, _VENDOR)) or _word(entries, lambda key: _has(key, _HYPERVISOR)),
        cpus,
        online,
        offline,
        only.threads_per_core,
        only.cores_per_socket,
        only.sockets,
        blocks,
        _count(entries, lambda key: _has(key, _SOCKET) and _has(key, _BOOK)),
        _count(entries, lambda key: _has(key, _BOOK) and _has(key, _DRAWER)),
        _count(entries, lambda key: _has(key, _DRAWER) and not _has(key, _BOOK)),
        _count(entries, lambda key: "NUMA" in key and not _NUMA_NODE.fullmatch(key)),
        nodes,
    )


def _entries(text: str) -> list[_Entry]:
    """The ``key: value`` lines; a list that the terminal's width broke is put together again."""
    entries: list[_Entry] = []
    for line in lines_of(text):
        colon = _COLON.search(line)
        key = line[: colon.start()].strip() if colon else ""  # a no-break space stands before it in French
        if _CONTINUATION.fullmatch(line) and entries and _LIST.fullmatch(entries[-1].value.rstrip(",")):
            entries[-1] = _Entry(entries[-1].key, entries[-1].value + line.strip())
        elif colon and 0 < len(key) <= _MAX_KEY:
            entries.append(_Entry(key, line[colon.end() :].strip()))
    return entries


def _cpu_list(value: str) -> CpuSet | None:
    """A list, or the mask of ``lscpu --hex``; blank is the empty set, None what is neither."""
    try:
        return CpuSet.from_mask(value) if value.startswith("0x") else CpuSet.parse(value)
    except ParseError:
        return None


def _cpu_count_at(entries: list[_Entry]) -> int | None:
    """Index of the CPU count: the first number followed by a list of at most that many CPUs, complete with the next list."""
    for index, entry in enumerate(entries[:-1]):
        count = int_or_none(entry.value)
        online = _cpu_list(entries[index + 1].value) if _LIST.fullmatch(entries[index + 1].value) else None
        if count and online and (len(online) == count or _offline(entries, index + 2, online, count)):
            return index
    return None


def _offline(entries: list[_Entry], index: int, online: CpuSet, count: int) -> CpuSet | None:
    if index >= len(entries) or not _LIST.fullmatch(entries[index].value):
        return None
    offline = _cpu_list(entries[index].value)
    return offline if offline and offline.isdisjoint(online) and len(offline) + len(online) == count else None


def _cpus(entries: list[_Entry], at: int | None) -> tuple[int | None, CpuSet | None, CpuSet | None]:
    if at is None:
        return _count(entries, lambda key: key == "CPU(s)"), None, None
    count, online = int(entries[at].value), _cpu_list(entries[at + 1].value)
    return count, online, _offline(entries, at + 2, online, count) if online else None


def _blocks(entries: list[_Entry], cpus: int | None) -> tuple[CoreBlock, ...]:
    """One block per run of counts; a name that comes again begins the next block."""
    blocks: list[dict[str, int | None]] = []
    for entry in entries:
        counted = int_or_none(entry.value) is not None or known(entry.value) is None
        field = _block_field(entry.key) if counted else None
        if field:
            if not blocks or field in blocks[-1]:
                blocks.append({})
            blocks[-1][field] = int_or_none(entry.value) or None
    by_name = tuple(CoreBlock(**block) for block in blocks)
    return by_name if len(blocks) > 1 else _completed(by_name, entries, cpus)


@lru_cache(maxsize=256)
def _block_field(key: str) -> str | None:
    if _has(key, _BOOK) or _has(key, _DRAWER) or "NUMA" in key:
        return None
    if _has(key, _CORE):
        if _has(key, _THREAD):
            return "threads_per_core"
        return "cores_per_socket" if _has(key, _SOCKET) else "cores_per_cluster" if _has(key, _CLUSTER) else None
    return "sockets" if _has(key, _SOCKET) else "clusters" if key.lower().startswith(_CLUSTER) else None


def _completed(by_name: tuple[CoreBlock, ...], entries: list[_Entry], cpus: int | None) -> tuple[CoreBlock, ...]:
    """In a language whose words are not all known: the only three numbers in a row that multiply to the CPU count."""
    named = by_name[0] if by_name else CoreBlock()
    numbers = [int_or_none(entry.value) for entry in entries]
    triples = [(a, b, c) for a, b, c in zip(numbers, numbers[1:], numbers[2:]) if a and b and c and a * b * c == cpus]
    fitting = [triple for triple in triples if all(name in (None, number) for name, number in zip(named, triple))]
    return (CoreBlock(*fitting[0]),) if len(fitting) == 1 and named[3:] == (None, None) else by_name


def _numa_nodes(entries: list[_Entry]) -> tuple[LscpuNode, ...]:
    nodes: dict[int, LscpuNode] = {}
    for entry in entries:
        match = _NUMA_NODE.fullmatch(entry.key)
        if match:
            nodes.setdefault(int(match[1]), LscpuNode(int(match[1]), _cpu_list(entry.value)))
    return tuple(nodes.values())


def _has(key: str, stems: tuple[str, ...]) -> bool:
    lowered = key.lower()
    return any(stem in lowered for stem in stems)


def _word(entries: list[_Entry], wanted: Callable[[str], bool]) -> str | None:
    """The first known value under a wanted key; the firmware's own idea of a name (``BIOS Model name``) is left out."""
    keys = _keys(entries, wanted)
    return next((value for key, value in entries if key in keys and not key.startswith("BIOS") and known(value)), None)


def _count(entries: list[_Entry], wanted: Callable[[str], bool]) -> int | None:
    keys = _keys(entries, wanted)
    return next((number for key, value in entries if key in keys and (number := int_or_none(value)) is not None), None)


def _keys(entries: list[_Entry], wanted: Callable[[str], bool]) -> set[str]:
    """The wanted keys, each looked at once."""
    return {key for key in {entry.key for entry in entries} if wanted(key)}


_NUMBER_LINE = r"[^\n:：]{1,60}[:：][ \t]*\d{1,5}[ \t]*\n"
_LIST_LINE = r"[^\n:：]{1,60}[:：][ \t]*(?:0x)?[\da-f][\da-f,:-]*[ \t]*(?:\n|\Z)"
_REST = rf"(?:(?![^\n:：]*[:：][ \t]*(?:{_ARCHITECTURES})[ \t]*\n)[^\n:：]+[:：][^\n]*\n)*"

PARSER = Parser(
    parse,
    reads=(Command(("lscpu",)),),
    looks_like=(
        rf"^[ \t]{{0,16}}(?:[^\n:：]{{1,40}}[:：][ \t]*(?:{_ARCHITECTURES})|CPU op-mode\(s\)[ \t]*:[^\n]*)[ \t]*\n"
        rf"(?:[^\n]*\n){{0,5}}?{_NUMBER_LINE}{_LIST_LINE}{_REST}"
        rf"|^[ \t]{{0,16}}CPU\(s\)[ \t]*:[ \t]*\d{{1,5}}[ \t]*\n{_LIST_LINE}{_REST}"
        rf"|^[ \t]{{0,16}}NUMA[^\n:：]{{1,30}}[:：][ \t]*\d{{1,4}}[ \t]*\n[ \t]*NUMA[^\n:：]{{1,30}}[:：]"
    ),
)
