"""``taskset -p`` and ``taskset -pc`` (util-linux schedutils/taskset.c), in the language of whoever ran it.

A line names the PID and ends in a list or a hexadecimal mask. When the tool sets a mask, it prints the current one and the new.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Parser
from numaaudit.parse.text import lines_of

_STEM = "affinit|afinid|Bezugs(?:maske|liste)|亲和|親和|アフィニティ|привяз|прив.яз|соответств|koligac"
_AFFINITY = r"([^\n:：]{0,60}?)\b(?:pid|PID)[ \u00a0]{0,2}(\d{1,9})([^\n:：]{0,60})[:：][ \t]*([0-9a-fA-F][0-9a-fA-F,:-]*)[ \t]*"
_LIST = r"(?i)list|列表|清單|リスト|спис|lijst|seznam|loettelo"
_MASK = r"(?i)mask|掩码|遮罩|マスク|маск|masque|máscara|maschera"


class TasksetAffinity(NamedTuple):
    """The last affinity printed for a PID; ``previous``: the one before it was changed."""

    pid: int
    cpus: CpuSet
    previous: CpuSet | None
    line: int


class Taskset(NamedTuple):
    """Everything the lines say, each PID once."""

    affinities: tuple[TasksetAffinity, ...]


def parse(text: str) -> Taskset:
    """ParseError where no line names a PID and its affinity."""
    found: dict[int, TasksetAffinity] = {}
    for number, line in enumerate(lines_of(text), 1):
        match = re.fullmatch(_AFFINITY, line)
        cpus = _cpus(match[1] + match[3], match[4]) if match else None
        if match and cpus is not None:
            before = found.get(int(match[2]))
            previous = None if before is None else before.previous if before.cpus == cpus else before.cpus
            found[int(match[2])] = TasksetAffinity(int(match[2]), cpus, previous, number)
    if not found:
        raise ParseError("no line names a PID and its affinity", 1)
    return Taskset(tuple(found.values()))


def _cpus(words: str, value: str) -> CpuSet | None:
    """By the word before it, else by its shape: only a list has ``-``, only a mask has letters. A lone number could be either."""
    is_list = bool(re.search(_LIST, words)) or "-" in value
    is_mask = not is_list and (bool(re.search(_MASK, words)) or bool(re.search(r"[a-fA-F]", value)))
    try:
        return CpuSet.parse(value) if is_list else CpuSet.from_mask(value) if is_mask else None
    except ParseError:
        return None


_LINE = (
    rf"(?=[^\n]*(?:{_STEM}))[^\n:：]{{0,60}}\b(?:pid|PID)[ \u00a0]{{0,2}}\d{{1,9}}[^\n:：]{{0,60}}"
    r"[:：][ \t]*[0-9a-fA-F][0-9a-fA-F,:-]*[ \t\r]*$"
)

PARSER = Parser(
    parse,
    reads=(),
    looks_like=rf"(?i)^{_LINE}(?:\n{_LINE})*",
)
