"""Names of mapped files in numa_maps, maps and smaps: the kind of file stays, what a user called it does not.

numa_maps (kernel fs/proc/task_mmu.c) writes ``file=`` and the name with blank, tab, newline and ``=`` in octal; maps and smaps
write the bare name at the end of the line. A mapped model can have tens of thousands of lines with few different names, so
the names that stay are skipped inside the expression and the others are reduced once each.
"""

from __future__ import annotations

import re
from typing import Dict

from numaaudit.bundle.redact_lists import FILE_EXTENSIONS

_STAYS = (
    rb"/dev/(?!shm/|hugepages|mqueue/)|/usr/|/lib/|/lib32/|/lib64/|/bin/|/sbin/"
    rb"|/SYSV[0-9a-f]{8}(?![^\s\\])|/anon_hugepage(?![^\s\\])|/opt/[\w./+-]{0,512}(?:/bin/[\w.+-]{1,64}|\.so[.\d]{0,16})(?![^\s\\])"
)
_NUMA_MAPS_NAME = re.compile(rb" file=(?!" + _STAYS + rb")(\S+)")
_MAPS_NAME = rb"(?m)^([0-9a-f]{1,16}-[0-9a-f]{1,16} [\w-]{4,5} [0-9a-f]+ [0-9a-f:]+ \d+ +)(?!\[|anon_inode:|" + _STAYS + rb")(\S.*)$"
_DELETED = re.compile(rb"(?:\\040| )\(deleted\)$")
_KIND = re.compile(rb"/(?:memfd:|dev/shm/|dev/hugepages[-0-9kKMG]{0,8}/|dev/mqueue/|dmabuf:)")
_EXTENSION = re.compile(rb"\.([A-Za-z][A-Za-z0-9]{0,15})(?:[.\d]{0,16})$")


def redact_numa_maps(data: bytes) -> bytes:
    names = _Names()
    return _NUMA_MAPS_NAME.sub(lambda match: b" file=" + names[match[1]], data)


def redact_maps(data: bytes) -> bytes:
    names = _Names()
    return re.sub(_MAPS_NAME, lambda match: match[1] + names[match[2]], data)


class _Names(Dict[bytes, bytes]):
    """A name as the kernel printed it, to what is kept of it: ``/[redacted].gguf``, ``/memfd:[redacted]\\040(deleted)``."""

    def __missing__(self, name: bytes) -> bytes:
        deleted = _DELETED.search(name)
        path = name[: deleted.start()] if deleted else name
        kind = _KIND.match(path)
        extension = _EXTENSION.search(path[-32:])
        known = b"." + extension[1] if extension and extension[1].decode() in FILE_EXTENSIONS else b""
        kept = self[name] = (kind[0] if kind else b"/") + b"[redacted]" + known + (deleted[0] if deleted else b"")
        return kept
