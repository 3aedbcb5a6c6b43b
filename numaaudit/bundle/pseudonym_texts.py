"""Where the names are in each kind of file that a bundle holds."""

from __future__ import annotations

import re
from typing import Callable, Dict, Match, Optional, Sequence

from numaaudit.bundle.pseudonym_json import Documents
from numaaudit.bundle.pseudonym_paths import Paths, is_unit
from numaaudit.bundle.pseudonyms import HOST, USER, Pseudonyms
from numaaudit.core.errors import ParseError
from numaaudit.core.hostlist import expand

_READING = re.compile(r"^again/[0-9]{1,9}/")
_THREAD_FILE = re.compile(r"root/proc/[0-9]+/(?:task/[0-9]+/)?(?:comm|stat|cmdline)$")
_STATUS = re.compile(r"root/proc/[0-9]+/(?:task/[0-9]+/)?status$")
# these print what the kernel and the driver call things, which is nobody's choice
_TOOLS = re.compile(r"commands/(?:lscpu|numactl|numastat|nvidia-smi|rocm-smi|amd-smi|npu-smi|xpu-smi|hl-smi|taskset)(?![a-z])")
_PROGRAM_PATH = re.compile(rb" file=(/(?:opt|usr/local)/[^\s\\]+)")
_FILE_VARIABLES = re.compile(r"((?:^|\0)(?:CUDA_MPS_PIPE_DIRECTORY|(?:NCCL|RCCL)_(?:TOPO|TOPO_DUMP|GRAPH)_FILE)=)([^\0]+)")
_UNAME = re.compile(r"^(Linux )(\S+)")
_SPEAKER = re.compile(r"^([\w.-]{1,255})(?=:[0-9]{1,9}:[0-9]{1,9} (?:\[[0-9]{1,4}\] )?(?:NCCL|RCCL) )", re.M)  # NCCL's src/debug.cc
_SETTING = re.compile(
    r"((?i:master_addr|rdzv[_-]endpoint|host_?name|node_?name|server_?name)[\"']?[ ]?[=:][ ]?[\"']?)([A-Za-z][\w.-]{0,254})"
)
_UNIT_ID = re.compile(r"^((?:Id|Slice)=)(\S+)$", re.M)
_SLURM_HOSTS = re.compile(r"((?i:\bnodename=))([^\s#]+)")
_AUTHORITY = re.compile(r"(?<=://)([\w.-]{1,255})")
_ACCOUNT = re.compile(r"((?i:\buser(?:name|id)?)[\"']?[=:][ ]?[\"']?(?:[0-9]{1,10}\()?)([A-Za-z_][\w.-]{0,63})")
_IPV4 = re.compile(r"(?<![\w.])(?!127\.|0\.0\.0\.0|255\.)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?!\.?\w)")
_COLONS = re.compile(r"(?<![\w:.])[0-9a-f]{1,4}::?(?:[0-9a-f]{1,4}::?){3,14}[0-9a-f]{1,4}(?![\w:.])")  # IPv6, MAC, GUID
_NO_HOST = re.compile(
    r"localhost(?:\.localdomain)?|127\.[0-9.]+|%s-[0-9a-f]{10}|[0-9a-f]{64}" % HOST
)  # a container's id comes as containerd://ID

Rule = Callable[[str], str]


class Texts:
    """``replace(path, data)`` gives what stands in a file under pseudonyms; ``declared`` as in Paths."""

    def __init__(self, names: Pseudonyms, declared: Sequence[str] = ()) -> None:
        self._names = names
        self.paths = Paths(names, declared)
        self._documents = Documents(names, self.text)
        self._by_place: Dict[str, Rule] = {
            "root/proc/sys/kernel/hostname": self._host_file,
            "root/proc/sys/kernel/domainname": self._host_file,
            "root/etc/hostname": self._host_file,
            "root/etc/slurm/gres.conf": self._gres,
            "root/run/slurm/conf/gres.conf": self._gres,
            "root/proc/version": names.words,
            "root/proc/sys/kernel/osrelease": names.words,
            "commands/uname_-a.out": self._uname,
        }
        self._by_name: Dict[str, Rule] = {
            "cgroup": self.cgroups, "mounts": self._mounts, "mountinfo": self._mounts, "environ": self._environ, "information": self._gpu,
        }  # fmt: skip

    def replace(self, path: str, data: bytes) -> bytes:
        """The bytes to be kept for the member ``path``."""
        place = _READING.sub("", path)
        if place.endswith("/numa_maps"):
            return _PROGRAM_PATH.sub(self._mapped_file, data)
        rule = self._rule(place)
        if rule is None or not data:
            return data
        text = data.decode("utf-8", "surrogateescape")
        replaced = rule(text)
        return data if replaced == text else replaced.encode("utf-8", "surrogateescape")

    def _rule(self, place: str) -> Optional[Rule]:
        rule = self._by_place.get(place)
        if rule is not None:
            return rule
        if _STATUS.match(place):
            return self._status
        if place.startswith(("root/proc/", "root/sys/")):
            return self._names.words if _THREAD_FILE.match(place) else self._by_name.get(place.rpartition("/")[2])
        if _TOOLS.match(place) and not place.endswith(".err"):
            return self._apps if "process_name" in place else self._gpu
        if place.startswith("commands/systemctl_show_"):
            return self._unit
        return self._documents.replace

    def _mapped_file(self, match: Match[bytes]) -> bytes:
        return b" file=" + self.paths.path(match[1].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def argument(self, word: str) -> str:
        """A word of a command's argv: a unit, a path, or text."""
        return self.paths.part(word) if is_unit(word) else self.text(word)

    def text(self, text: str) -> str:
        """Free text: paths, addresses, what is told of hosts and accounts, ids, and every name met so far."""
        text = _SPEAKER.sub(lambda match: self._names.learn_name(HOST, match[1]), self._names.ids(text))
        text = _AUTHORITY.sub(self._host, self.paths.text(text))
        text = _SETTING.sub(lambda match: match[1] + self._host(match, 2), text)
        text = _ACCOUNT.sub(lambda match: match[1] + self._names.learn_name(USER, match[2]), text)
        text = _COLONS.sub(lambda match: self._names.name(HOST, match[0]), _IPV4.sub(lambda match: self._names.name(HOST, match[0]), text))
        return self._names.words(text)

    def _host(self, match: Match[str], group: int = 1) -> str:
        name = match[group]
        return name if _NO_HOST.fullmatch(name) else self._names.learn_name(HOST, name)

    def _gpu(self, text: str) -> str:
        self._names.learn_gpus(text)
        return self._names.ids(text)

    def _apps(self, text: str) -> str:
        """A row is a process, with its name; the first has the names of the columns."""
        head, newline, rows = self._gpu(text).partition("\n")
        return head + newline + self._names.words(rows)

    def _host_file(self, text: str) -> str:
        return text.replace(text.strip(), self._names.learn_name(HOST, text.strip())) if text.strip(" \n()") else text

    def _gres(self, text: str) -> str:
        return self.text(_SLURM_HOSTS.sub(lambda match: match[1] + self._hosts(match[2]), text))

    def _hosts(self, expression: str) -> str:
        """``gpu[01-04]`` as the pseudonyms of its hosts, so that it still says whether this one is among them."""
        try:
            return ",".join([self._names.learn_name(HOST, name) for name in expand(expression)])
        except ParseError:
            return self._names.name(HOST, expression)

    def _unit(self, text: str) -> str:
        """Its own name; its slice and control group are paths as others are."""
        return self.text(_UNIT_ID.sub(lambda match: match[1] + self.argument(match[2]), text))

    def _status(self, text: str) -> str:
        """``Name:`` comes first; the other names are the kernel's."""
        name, newline, rest = text.partition("\n")
        return self._names.words(name) + newline + rest

    def _uname(self, text: str) -> str:
        return self._names.words(_UNAME.sub(lambda match: match[1] + self._names.learn_name(HOST, match[2]), text))

    def cgroups(self, text: str) -> str:
        """``/proc/PID/cgroup``: hierarchy, controllers, path."""
        return "\n".join(map(self._cgroup, text.split("\n")))

    def _cgroup(self, line: str) -> str:
        parts = line.split(":", 2)
        if len(parts) < 3:
            return line
        path, deleted, _ = parts[2].partition(" (deleted)")
        return ":".join([*parts[:2], self.paths.cgroup(path) + deleted])

    def _mounts(self, text: str) -> str:
        return "\n".join(
            " ".join(self.paths.path(word) if word[:1] == "/" else word for word in line.split(" ")) for line in text.split("\n")
        )

    def _environ(self, text: str) -> str:
        text = _FILE_VARIABLES.sub(lambda match: match[1] + self.paths.file_name(match[2]), text)
        return self._names.words(self._names.ids(text))
