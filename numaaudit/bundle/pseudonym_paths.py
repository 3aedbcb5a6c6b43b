"""Paths under pseudonyms: of files, mount points and control groups. What every host has stays, and so does what is parsed of them."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Match, Sequence, Tuple

from numaaudit.bundle.globs import matcher
from numaaudit.bundle.pseudonym_lists import COMMON_PARTS, ID_WORDS, OWNERS
from numaaudit.bundle.pseudonyms import CONTAINER, PATH, Pseudonyms
from numaaudit.bundle.tree import braces

_KERNEL = ("dev", "proc", "sys")
_SYSTEM = ("usr", "lib", "lib32", "lib64", "bin", "sbin")  # as packages install them, but for /usr/local
_CGROUPS = ("sys", "fs", "cgroup")
_MAPPED = "/dev/mapper/"  # a volume's name is its owner's, often the host's (dmsetup(8))
_UNIT = re.compile(r"\.(?:service|scope|slice|socket|mount|swap|target|path|timer)$")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,11}(?:\.(?:gz|bz2|xz|zst))?$")
_NUMBERED = re.compile(
    r"[0-9,.:]+|session-c?[0-9]+\.scope|user-[0-9]+\.slice|user(?:-runtime-dir)?@[0-9]+\.service|(?:uid|job|step|task)_[0-9]+"
    r"|step_(?:batch|extern|interactive)|python[23]?(?:\.[0-9]+)?|cuda-[0-9.]+|hugepages-[0-9]+kB|lib[\w.+-]*\.so[.0-9]*"
)
_KUBEPODS = re.compile(r"(?:kubelet-)?kubepods(?:-burstable|-besteffort)?\.slice")
_ID = re.compile(r"[0-9a-f]{64}|(?<=pod)[0-9a-f]{8}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{4}[-_]?[0-9a-f]{12}")
# a path inside a text; "and/or", "1/2" and the slashes of an address are none
_IN_TEXT = re.compile(r"(?<![\w./<])/(?=[A-Za-z_.])[\w.@%+~,/-]{1,4096}(?<![,.])")


_CGROUP_FILE = re.compile(r"(?:cgroup|cpuset|cpu|cpuacct|memory|io|pids|hugetlb|misc|rdma)\.[\w.]+")


def _is_of(part: str, name: str) -> bool:
    """Whether a component is of a declared one, which may be a glob."""
    matches = matcher(name)
    return part == name if matches is None else bool(matches(part))


def is_unit(name: str) -> bool:
    """Whether it is called as systemd calls its units (systemd.unit(5))."""
    return "/" not in name and _UNIT.search(name) is not None


class Paths:
    """Maps paths by their parts, so that what is below one folder stays together.

    ``declared`` are the globs of what is collected, below the root: what they name literally is nobody's name, and is looked for there.
    """

    def __init__(self, names: Pseudonyms, declared: Sequence[str] = ()) -> None:
        self._names = names
        self._parts: Dict[str, str] = {}
        self._declared: Dict[str, Any] = {}  # component to the components below it
        for pattern in (plain for each in declared for plain in braces(each)):
            below = self._declared
            for part in pattern.split("/"):
                below = below.setdefault(part, {})

    def path(self, path: str) -> str:
        """A path of this host as it may be shown; those of the kernel and of packages stay."""
        parts = path.split("/")
        first = next((part for part in parts if part), "")
        if tuple(part for part in parts if part)[:3] == _CGROUPS:
            return self.cgroup(path)
        if path.startswith(_MAPPED):
            return _MAPPED + self.part(path[len(_MAPPED) :])
        if first in _KERNEL or (first in _SYSTEM and "/local/" not in path):
            return path
        return "/".join(part if is_declared else self.part(part) for part, is_declared in self._as_declared(parts))

    def _as_declared(self, parts: Sequence[str]) -> List[Tuple[str, bool]]:
        """Each component, and whether a declared path that leads here names it."""
        found = []
        level = [self._declared]
        for part in parts:
            found.append((part, any(part in each for each in level)))
            level = [below for each in level for name, below in each.items() if _is_of(part, name)] if part else level
        return found

    def cgroup(self, path: str) -> str:
        """The path of a control group, or of its directory."""
        return "/".join(map(self.part, path.split("/")))

    def file(self, path: str) -> str:
        """The path of a file that is collected: its own name is the kernel's or a program's, but in a control group a group's."""
        folder, slash, name = path.rpartition("/")
        is_group = path.startswith("/sys/fs/cgroup/") and not _CGROUP_FILE.fullmatch(name)
        return self.path(folder) + slash + (self.part(name) if is_group else name)

    def text(self, text: str) -> str:
        """A text with the paths in it replaced."""
        return _IN_TEXT.sub(lambda match: self.path(match[0]), text)

    def file_name(self, name: str) -> str:
        """A base name; its extension stays."""
        extension = _EXTENSION.search(name)
        return self._names.name(PATH, name) + (extension[0] if extension else "")

    def part(self, part: str) -> str:
        """One component; a log has few different ones, many times each."""
        known = self._parts.get(part)
        if known is None:
            known = self._parts[part] = self._replaced(part)
        return known

    def _replaced(self, part: str) -> str:
        if not part or part in COMMON_PARTS or _NUMBERED.fullmatch(part) or _KUBEPODS.fullmatch(part):
            return part
        match = _ID.search(part)
        if match:
            return self._around(part[: match.start()]) + self._id(match) + self._around(part[match.end() :])
        if part.startswith("lxc.payload."):
            return "lxc.payload." + self._names.learn_name(CONTAINER, part[len("lxc.payload.") :])
        return self._unknown(part)

    def _id(self, match: Match[str]) -> str:
        return self._names.hex_id(match[0]) if len(match[0]) == 64 else self._names.uuid(match[0])

    def _around(self, text: str) -> str:
        """What stands before or after an id: the runtime, the class, the kind of unit."""
        words = [word for word in re.split(r"[-.:_]", text) if word]
        return text if all(word in ID_WORDS or _UNIT.fullmatch("." + word) for word in words) else self._unknown(text.strip("-")) + "-"

    def _unknown(self, part: str) -> str:
        unit = _UNIT.search(part)
        ending = unit or _EXTENSION.search(part)
        owners = "".join("%s-" % owner for owner in OWNERS if owner in part)
        replaced = owners + self._names.name(PATH, part) + (ending[0] if ending else "")
        if unit:
            self._names.learn(part, replaced)
        return replaced
