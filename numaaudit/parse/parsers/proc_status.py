"""``/proc/PID/status`` and ``/proc/PID/task/TID/status`` (kernel ``fs/proc/array.c``, ``proc_pid_status``; manual page proc_pid_status(5)).

Also an excerpt of one, as ``grep`` prints it: with or without ``/proc/PID/status:`` in front of each line.
"""

import re
from collections.abc import Callable
from functools import lru_cache
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
    status = _record(_facts(text))
    if start and start[1]:
        tgid, pid = int(start[1]), int(start[2] or start[1])
        return status._replace(tgid=status.tgid or tgid, pid=status.pid or pid)
    return status


_PREFIX = re.compile(r"^(?:[ \t]{0,16}/?proc/(\d{1,9})/(?:task/(\d{1,9})/)?status:)?[ \t]*", re.M | re.A)


def _unprefixed(text: str) -> str:
    if len({found for found in _PREFIX.findall(text) if found[0]}) > 1:
        raise ParseError("lines of several tasks")
    return _PREFIX.sub("", text)


def _facts(text: str) -> dict[str, Any]:
    """Key to value of the lines that matter here; of two with one key the last."""
    facts: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), 1):
        try:
            fact = _fact(line)
        except ParseError as error:
            raise ParseError(error.reason, number) from None
        if fact:
            facts[fact[0]] = fact[1]
    return facts


@lru_cache(maxsize=4096)
def _fact(line: str) -> tuple[str, Any] | None:
    """Key and value of one line; the threads of a process share most of theirs."""
    key, _, value = line.partition(":")
    read = _READERS.get(key)
    if read is None:
        return None
    try:
        return key, read(value.strip(_BLANKS))
    except ParseError as error:
        raise ParseError(f"{key}: {error.reason}") from None


def _record(facts: dict[str, Any]) -> ProcStatus:
    if not facts:
        raise ParseError("no line of /proc/PID/status")
    # The masks matter where the lists are missing: before Linux 2.6.26, and in excerpts.
    facts.setdefault("Cpus_allowed_list", facts.get("Cpus_allowed"))
    facts.setdefault("Mems_allowed_list", facts.get("Mems_allowed"))
    return ProcStatus._make(map(facts.get, _FIELDS))


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
_FIELDS: dict[str, Callable[[str], Any]] = {
    "Name": str, "Tgid": decimal, "Pid": decimal, "PPid": decimal, "NSpid": _decimals, "Uid": _first, "Threads": decimal,
    "Cpus_allowed_list": CpuSet.parse, "Mems_allowed_list": NodeSet.parse,
    "VmRSS": kib, "RssAnon": kib, "RssFile": kib, "RssShmem": kib, "HugetlbPages": kib,
    "VmSwap": kib, "VmLck": kib, "VmPin": kib,
    "Seccomp": decimal, "CapEff": _hexadecimal, "Kthread": _flag,
}  # fmt: skip
_READERS = {**_FIELDS, "Cpus_allowed": CpuSet.from_mask, "Mems_allowed": NodeSet.from_mask}

_KEY = (
    r"(?:Name|Umask|State|[TN]gid|P?Pid|TracerPid|[UG]id|FDSize|Groups|NS(?:tgid|pid|pgid|sid)|Kthread|Vm[A-Z][A-Za-z]{1,6}|Rss[A-Z][a-z]{2,5}"
    r"|HugetlbPages|CoreDumping|THP_enabled|Threads|Sig[A-Z][a-z]{1,3}|ShdPnd|Cap[A-Z][a-z]{2}|NoNewPrivs|Seccomp(?:_filters)?"
    r"|(?:Cpus|Mems)_allowed(?:_list)?):"
)
_LINE = r"(?:[A-Z][A-Za-z_]{1,40}|untag_mask|[a-z_]{1,40}ctxt_switches|x86_Thread_features(?:_locked)?):"
# Lines with the same path in front; or lines of which one has a mask, up to another task's, which begins with the same key again.
_LOOKS_LIKE = (
    r"(?a)^[ \t]{0,16}(/?proc/\d{1,9}/(?:task/\d{1,9}/)?status:)[^\n]*(?:\n[ \t]{0,16}\1[^\n]*)*"
    rf"|^([ \t]{{0,16}})(?=(?:{_KEY}[^\n]*\n[ \t]{{0,16}}){{0,70}}(?:Cpus|Mems)_allowed(?:_list)?:"
    rf"|Name:[^\n]*\n[ \t]{{0,16}}(?:Umask|State):)({_KEY})[^\n]*(?:\n\2(?!\3|Name:){_LINE}[^\n]*)*"
)

PARSER = Parser(parse, reads=("proc/[0-9]*/status", "proc/[0-9]*/task/[0-9]*/status"), looks_like=_LOOKS_LIKE)
