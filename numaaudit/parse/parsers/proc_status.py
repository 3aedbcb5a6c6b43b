"""``/proc/PID/status`` and ``/proc/PID/task/TID/status`` (kernel ``fs/proc/array.c``, ``proc_pid_status``; manual page proc_pid_status(5)).

Also an excerpt of one, as ``grep`` prints it: with or without ``/proc/PID/status:`` in front of each line.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal, kib
from numaaudit.parse.parser import Parser


class ProcStatus(NamedTuple):
    """One task. None: the line is not there, as in an excerpt, for a kernel thread's memory, or on an older kernel."""

    name: str | None  # Name: comm, as the kernel escapes it
    tgid: int | None  # Tgid: the process
    pid: int | None  # Pid: the task (a thread's TID)
    ppid: int | None  # PPid; 0 for init and for a parent in an outer PID namespace
    ns_pids: tuple[int, ...] | None  # NSpid: outermost namespace first
    uid: int | None  # Uid: the real one
    num_threads: int | None  # Threads
    allowed_cpus: CpuSet | None  # Cpus_allowed_list, else Cpus_allowed: affinity within the cpuset
    allowed_mems: NodeSet | None  # Mems_allowed_list, else Mems_allowed: the cpuset's, says nothing about memory policy
    rss_bytes: int | None  # VmRSS; without hugetlb pages
    rss_anon_bytes: int | None  # RssAnon, Linux 4.5
    rss_file_bytes: int | None  # RssFile
    rss_shmem_bytes: int | None  # RssShmem
    hugetlb_bytes: int | None  # HugetlbPages, Linux 4.4
    swap_bytes: int | None  # VmSwap
    locked_bytes: int | None  # VmLck
    pinned_bytes: int | None  # VmPin; most GPU drivers do not account here
    seccomp: int | None  # Seccomp: 0 off, 1 strict, 2 filter
    cap_eff: int | None  # CapEff as a bit mask
    is_kernel_thread: bool | None  # Kthread, Linux 6.8


def parse(text: str) -> ProcStatus:
    """Read one status file; ParseError if no line of it is known, a value is impossible or two tasks are mixed."""
    start = _PREFIX.match(text)
    if start and start[0]:
        text = _unprefixed(text)
    values = {}
    for line in text.split("\n"):
        key, _, values[key] = line.partition(":")
    status = _record(values, text)
    if start and start[1] and status.pid is None:
        return status._replace(tgid=int(start[1]), pid=int(start[2] or start[1]))
    return status


_PREFIX = re.compile(r"^(?:[ \t]{0,16}/?proc/(\d{1,9})/(?:task/(\d{1,9})/)?status:)?[ \t]*", re.M | re.A)


def _unprefixed(text: str) -> str:
    if len({found for found in _PREFIX.findall(text) if found[0]}) > 1:
        raise ParseError("lines of several tasks")
    return _PREFIX.sub("", text)


def _record(values: dict[str, str], text: str) -> ProcStatus:
    row: list[Any] = []
    key = ""
    try:
        for key, read in _FIELDS:
            value = values.get(key)
            row.append(None if value is None else read(value.strip(_BLANKS)))
        masks = {}
        for key, (field, from_mask) in _MASKS.items():
            if key in values and f"{key}_list" not in values:
                masks[field] = from_mask(values[key].strip(_BLANKS))
    except ParseError as error:
        raise ParseError(f"{key}: {error.reason}", _line_of(key, text)) from None
    if row == _NOTHING and not masks:
        raise ParseError("no line of /proc/PID/status")
    return ProcStatus._make(row)._replace(**masks) if masks else ProcStatus._make(row)


def _line_of(key: str, text: str) -> int:
    return f"\n{text}".rpartition(f"\n{key}:")[0].count("\n") + 1


def _decimals(value: str) -> tuple[int, ...]:
    return tuple(map(decimal, value.split()))


def _first(value: str) -> int:
    return decimal(value.partition("\t")[0].partition(" ")[0])


def _hexadecimal(value: str) -> int:
    if not re.fullmatch("[0-9a-fA-F]{1,16}", value):
        raise ParseError(f"not a mask: {value:.40}")
    return int(value, 16)


def _flag(value: str) -> bool:
    return decimal(value) != 0


_BLANKS = " \t\r\0"
# In the order of the record.
_FIELDS: tuple[tuple[str, Callable[[str], Any]], ...] = (
    ("Name", str), ("Tgid", decimal), ("Pid", decimal), ("PPid", decimal), ("NSpid", _decimals), ("Uid", _first), ("Threads", decimal),
    ("Cpus_allowed_list", CpuSet.parse), ("Mems_allowed_list", NodeSet.parse),
    ("VmRSS", kib), ("RssAnon", kib), ("RssFile", kib), ("RssShmem", kib), ("HugetlbPages", kib),
    ("VmSwap", kib), ("VmLck", kib), ("VmPin", kib),
    ("Seccomp", decimal), ("CapEff", _hexadecimal), ("Kthread", _flag),
)  # fmt: skip
_NOTHING = [None] * len(_FIELDS)
# Read only where the list is missing: before Linux 2.6.26, and in excerpts.
_MASKS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "Cpus_allowed": ("allowed_cpus", CpuSet.from_mask),
    "Mems_allowed": ("allowed_mems", NodeSet.from_mask),
}

_LINE = r"(?:[A-Z][A-Za-z_]{1,40}|untag_mask|[a-z_]{1,40}ctxt_switches|x86_Thread_features(?:_locked)?):"
# Its first line, then up to a line that is of another text, of another task (\1) or of another status file (Name).
_LOOKS_LIKE = (
    r"(?a)^([ \t]{0,16}(?:/?proc/\d{1,9}/(?:task/\d{1,9}/)?status:)?[ \t]{0,16})"
    r"(?:Name:[^\n]*\n\1(?:Umask|State):|(?:Cpus|Mems)_allowed(?:_list)?:)"
    rf"[\s\S]*?(?=\n(?!\1(?!Name:){_LINE})|\Z)"
)

PARSER = Parser(parse, reads=("proc/[0-9]*/status", "proc/[0-9]*/task/[0-9]*/status"), looks_like=_LOOKS_LIKE)
