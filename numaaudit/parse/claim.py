"""What launchers say in their logs: which CPUs and NUMA nodes they believe they gave to whom.

A claim is never a measured mask. Ranks write into one log, so that every line is read alone; who speaks is in its prefix.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.text import int_or_none, strip_ansi

BINDING, THREAD, REFUSED, SHOWN = "binding", "thread", "refused", "shown"
_MAX_TEXT = 1000

# (VllmWorker rank=1 pid=7), (Worker_TP1 pid=7), (RayWorkerWrapper pid=7, ip=...)
_PID = r"\([^()\n]{0,60}?\bpid=(\d{1,9})"
_RANK = (
    r"\brank=(\d{1,6})|\[rank(\d{1,6})\]|\[\d{1,6},(\d{1,6})\]<std(?:out|err)>"
    r"|(?<!\w)(?:Worker_)?TP(\d{1,4})(?:_EP\d{1,4})?\b|^(\d{1,6}): "
)
_GROUPED = r"\b(?:Worker_)?(?:DP|PP)[1-9]\d{0,3}"  # of several groups, the TP number is not the rank


class Claim(NamedTuple):
    """One statement. ``kind``: binding, thread (of one thread), refused (asked for and not given), shown (a tool's own state).

    ``role``: which part of a process (``main``, ``acl``), or a remark of the launcher's; ``rank`` as the log counts it;
    ``gpu``: the launcher's number of the device; None is what the line does not say.
    """

    launcher: str
    kind: str
    role: str | None
    pid: int | None
    tid: int | None
    rank: int | None
    gpu: int | None
    cpus: CpuSet | None
    mems: NodeSet | None
    line: int
    text: str


class Claims(NamedTuple):
    """The claims of one log, in order of line."""

    claims: tuple[Claim, ...]


class Said(NamedTuple):
    """A line that a reader's pattern matched, and who said it."""

    launcher: str
    match: re.Match[str]
    prefix: str
    pid: int | None
    rank: int | None
    line: int
    text: str

    def claim(self, kind: str, **facts: Any) -> Claim:
        """A claim of this line; facts override what its prefix says."""
        known: dict[str, Any] = {"role": None, "pid": self.pid, "tid": None, "rank": self.rank, "gpu": None, "cpus": None, "mems": None}
        return Claim(launcher=self.launcher, kind=kind, line=self.line, text=self.text, **(known | facts))


Reader = tuple[str, Callable[[Said], Iterable[Claim]]]  # an expression, compiled when there is a log


def read_claims(text: str, launcher: str, readers: Iterable[Reader]) -> Claims:
    """What these readers find; an ordinary log says nothing, so an empty result is no error."""
    clean = strip_ansi(text)
    said = (claim for pattern, reader in readers for line in _lines(clean, launcher, pattern) for claim in reader(line))
    return Claims(tuple(sorted(said, key=lambda claim: claim.line)))


def _lines(text: str, launcher: str, pattern: str) -> Iterator[Said]:
    matches = list(re.finditer(pattern, text))
    starts = [0, *(match.end() for match in re.finditer("\n", text))] if matches else []
    for match in matches:
        number = bisect_right(starts, match.start())
        start = starts[number - 1]
        end = text.find("\n", match.end())
        prefix = text[start : match.start()][:_MAX_TEXT]
        line = text[start : end if end >= 0 else len(text)].strip()[:_MAX_TEXT]
        yield Said(launcher, match, prefix, pid_of(prefix), rank_of(prefix), number, line)


def pid_of(prefix: str) -> int | None:
    match = re.search(_PID, prefix)
    return int(match[1]) if match else None


def rank_of(prefix: str) -> int | None:
    """The rank named before a message; None where only a rank inside one of several groups is."""
    match = re.search(_RANK, prefix)
    if not match or (match[4] and re.search(_GROUPED, prefix)):
        return None
    return next(int(group) for group in match.groups() if group)


def number(text: str | None) -> int | None:
    return int_or_none(text)


def cpus_in(text: str | None) -> CpuSet | None:
    """``[0, 1]``, ``[[39]]``, ``{0, 1}``, ``2 3 4`` or ``0-3,8``; None for anything else, such as a list that was cut."""
    try:
        return None if text is None else CpuSet.parse(_commas(text))
    except ParseError:
        return None


def mems_in(text: str | None) -> NodeSet | None:
    """NUMA nodes in the notations of ``cpus_in``."""
    try:
        return None if text is None else NodeSet.parse(_commas(text))
    except ParseError:
        return None


def cpus_of_mask(text: str) -> CpuSet | None:
    try:
        return CpuSet.from_mask(text)
    except ParseError:
        return None


def _commas(text: str) -> str:
    return ",".join(re.sub(r"[\[\]{}(),]", " ", text).split())


def log_lines(*anchors: str) -> str:
    """Recognises runs of log lines with one of these expressions."""
    line = rf"[^\n]*(?:{'|'.join(anchors)})[^\n]*"
    return rf"^{line}(?:\n{line})*"
