"""Redaction: what of a file may be stored, or shown, at all. It is the same for bundles written here and for foreign input.

How each file is redacted is said beside its rule, at the end of this file; ``RULES`` has them all.

The exact lists are in redact_lists.py. What is taken out of a text is replaced by ``[redacted]``; variables and kernel
parameters are dropped. Redacting twice changes nothing more.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, NamedTuple, Optional

from numaaudit.bundle.redact_argv import kept_variables, redact_argv
from numaaudit.bundle.redact_lists import KERNEL_PARAMETERS, PSEUDO_FILE_SYSTEMS
from numaaudit.bundle.redact_maps import redact_maps, redact_numa_maps
from numaaudit.bundle.redact_settings import redact_checkpoint, redact_gres, redact_kernel_log, redact_kubelet_config, redact_slurm
from numaaudit.bundle.redact_text import MARK, redact_text

_READING = re.compile(r"^again/\d{1,9}/")
_BLANKS = re.compile(rb"[\s\0]+")
_BLOCK_DEVICE = re.compile(rb"/dev/[\w/.+:-]{1,256}")
_SHOWN_TMPFS = re.compile(rb"/(?:dev|proc|run|sys)(?:/|$)|/tmp$")
_TMPFS_SOURCES = (b"tmpfs", b"none", b"shm", b"udev", b"devtmpfs", b"run", b"dev")  # any word can stand there


class Rule(NamedTuple):
    """How certain files are redacted, and under which ``kind`` that is counted; ``kept`` says for people what stays."""

    files: str
    kept: str
    kind: str
    redact: Callable[[bytes], bytes]
    removed: Callable[[bytes, bytes], int]  # how many things went, from the bytes before and after


def redact(path: str, data: bytes, counts: Optional[Dict[str, int]] = None) -> bytes:
    """What may be kept of the file at a bundle path; ``counts`` gains the number of things taken out, by kind."""
    rule = _rule_for(path)
    if rule is None:
        return data
    kept = rule.redact(data)
    if counts is not None and kept != data:
        counts[rule.kind] = counts.get(rule.kind, 0) + rule.removed(data, kept)
    return kept


def kind_of(path: str) -> str:
    """The kind under which the redaction of a bundle path is counted; empty where everything is kept."""
    rule = _rule_for(path)
    return rule.kind if rule else ""


def _rule_for(path: str) -> Optional[Rule]:
    place = _READING.sub("", path) if path.startswith("again/") else path
    if place == "root/proc/cmdline":
        return _KERNEL_COMMAND_LINE
    if place.startswith("root/"):
        return _BY_NAME.get(place.rpartition("/")[2])
    if place == "commands/dmesg.out":
        return _KERNEL_LOG
    if place in ("manifest.json", "manifest.json.sig") or place.startswith("samples/"):
        return None
    return _TEXT


def _environ(data: bytes) -> bytes:
    entries = [entry.decode("latin-1") for entry in data.split(b"\0")]
    return "".join([entry + "\0" for entry in kept_variables(entries)]).encode("latin-1")


def _kernel_command_line(data: bytes) -> bytes:
    words = [word for word in _BLANKS.split(data) if word.partition(b"=")[0].decode("latin-1") in KERNEL_PARAMETERS]
    return b" ".join(words) + b"\n"


def _mounts(data: bytes) -> bytes:
    """``/proc/PID/mounts`` (fstab(5)) and ``mountinfo`` (proc_pid_mountinfo(5)), a mount a line."""
    return b"\n".join([_mount(line) for line in data.split(b"\n")])


def _mount(line: bytes) -> bytes:
    words = line.split()
    if not words:
        return line
    if b"-" in words[6:] and len(words) > words.index(b"-", 6) + 3:
        return b" ".join(_mountinfo(words, words.index(b"-", 6)))
    if len(words) < 4:
        return MARK
    source, point, kind = words[:3]
    if _is_pseudo(kind, point):
        return line if kind != b"tmpfs" or source in _TMPFS_SOURCES else b" ".join([MARK] + words[1:])
    return b" ".join([_source(source, kind), _point(point), kind, MARK] + words[4:6])


def _mountinfo(words: List[bytes], dash: int) -> List[bytes]:
    kind, source = words[dash + 1 : dash + 3]
    if _is_pseudo(kind, words[4]):
        return words if kind != b"tmpfs" or source in _TMPFS_SOURCES else words[: dash + 2] + [MARK] + words[dash + 3 :]
    return words[:3] + [_point(words[3]), _point(words[4]), MARK, b"-", kind, _source(source, kind), MARK]


def _is_pseudo(kind: bytes, point: bytes) -> bool:
    """tmpfs is also where users keep files of their own, under names of their own."""
    return kind.decode("latin-1") in PSEUDO_FILE_SYSTEMS and (kind != b"tmpfs" or bool(_SHOWN_TMPFS.match(point)))


def _source(source: bytes, kind: bytes) -> bytes:
    return source if source == kind or _BLOCK_DEVICE.fullmatch(source) else MARK


def _point(point: bytes) -> bytes:
    return point if point == b"/" else MARK


def _more_marks(before: bytes, after: bytes) -> int:
    return after.count(MARK) - before.count(MARK)


def _fewer_words(before: bytes, after: bytes) -> int:
    return len(_BLANKS.split(before)) - len(_BLANKS.split(after))


def _fewer_strings(before: bytes, after: bytes) -> int:
    return len(before.rstrip(b"\0").split(b"\0")) - after.count(b"\0")


def _changed_lines(before: bytes, after: bytes) -> int:
    return sum(one != other for one, other in zip(before.split(b"\n"), after.split(b"\n")))


_ENVIRON = Rule(
    "proc/PID/environ",
    "variables listed by exact name; of a path its last component",
    "environment variable", _environ, _fewer_strings,
)  # fmt: skip
_COMMAND_LINE = Rule(
    "proc/PID/cmdline",
    "base names of programs and their scripts, -m MODULE, listed options with values that fit",
    "command-line word", redact_argv, _more_marks,
)  # fmt: skip
_KERNEL_COMMAND_LINE = Rule("proc/cmdline", "listed parameters of the kernel", "kernel parameter", _kernel_command_line, _fewer_words)
_MOUNTS = Rule(
    "mounts, mountinfo",
    "pseudo file systems whole; of others the type, a block device, / as mount point",
    "mount", _mounts, _more_marks,
)  # fmt: skip
_NAMES_KEPT = "names of devices and system libraries; of others the kind (/memfd:, /dev/shm/) and a listed extension"
_NUMA_MAPS = Rule("numa_maps", _NAMES_KEPT, "file name", redact_numa_maps, _more_marks)
_MAPS = Rule("maps, smaps", _NAMES_KEPT, "file name", redact_maps, _more_marks)
_TEXT = Rule(
    "output of commands, logs",
    "everything but what has the shape of a secret or of somebody's name",
    "line of text", redact_text, _changed_lines,
)  # fmt: skip
_KERNEL_LOG = Rule(
    "output of dmesg",
    "lines on errors of GPUs (Xid) and of PCI Express (AER), and on the hypervisor",
    "line of the kernel's log", redact_kernel_log, _changed_lines,
)  # fmt: skip
_KUBELET_CONFIG = Rule("config.yaml", "listed settings of the kubelet", "line of settings", redact_kubelet_config, _changed_lines)
_CHECKPOINT = Rule(
    "kubelet_internal_checkpoint",
    "everything but the answers of device plug-ins",
    "answer of a device plug-in", redact_checkpoint, _more_marks,
)  # fmt: skip
_SLURM = Rule("slurm.conf, cgroup.conf", "listed options of Slurm", "line of settings", redact_slurm, _changed_lines)
_GRES = Rule("gres.conf", "listed options of Slurm's resources", "line of settings", redact_gres, _changed_lines)
RULES = (
    _ENVIRON, _COMMAND_LINE, _KERNEL_COMMAND_LINE, _MOUNTS, _NUMA_MAPS, _MAPS,
    _KUBELET_CONFIG, _CHECKPOINT, _SLURM, _GRES, _KERNEL_LOG, _TEXT,
)  # fmt: skip
"""Of every other file below ``root/``, of samples and of the manifest everything is kept."""

_BY_NAME = {
    "environ": _ENVIRON,
    "cmdline": _COMMAND_LINE,
    "numa_maps": _NUMA_MAPS,
    "maps": _MAPS,
    "smaps": _MAPS,
    "mounts": _MOUNTS,
    "mountinfo": _MOUNTS,
    "config.yaml": _KUBELET_CONFIG,
    "kubelet_internal_checkpoint": _CHECKPOINT,
    "slurm.conf": _SLURM,
    "gres.conf": _GRES,
    "cgroup.conf": _SLURM,
}

REDACTED_NAMES = frozenset(_BY_NAME)
"""Names of files below ``root/`` of which not everything is kept, wherever they are."""
