"""manifest.json: what was asked, what was got, what was not and why (bundle format 1)."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, Mapping, NamedTuple, Optional, Set, Tuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.errors import InputError, shown

MANIFEST = "manifest.json"
SIGNATURE = MANIFEST + ".sig"  # OpenSSH's signature of its bytes (PROTOCOL.sshsig), which begins thus:
SIGNATURE_START = b"-----BEGIN SSH SIGNATURE-----"
FORMAT = "numaaudit.bundle/1"
ANY_FORMAT = b"numaaudit.bundle/"  # also of a later version


class Entry(NamedTuple):
    """One file or link that was read, or an attempt that failed. ``size`` and ``sha256`` are of the bytes in the bundle.

    ``outcome``: ok, absent, refused, timed-out, gone, cut or not-run.

    ``files`` is 1, or the number of files below a directory that is recorded as one entry (``task/`` of a process): then
    ``sha256`` is over the lines "<sha256 of a file>  <path>" in order of path.
    """

    path: str
    outcome: str = "ok"
    size: int = 0
    sha256: str = ""
    collector: str = ""
    duration_ms: float = 0.0
    reason: str = ""
    link: Optional[str] = None
    files: int = 1


class CommandRun(NamedTuple):
    """One command: ``path`` is its ``commands/….out``; exit code and signal are None where it did not end by itself."""

    argv: Tuple[str, ...]
    path: str
    outcome: str = "ok"
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    duration_ms: float = 0.0
    reason: str = ""


class Manifest(NamedTuple):
    """The first member of a bundle. Times are UTC in ISO 8601; ``readings`` has the time of the first and each later one."""

    tool_version: str
    rule_set: str
    hostname: str
    host_id: str
    boot_id: str
    collected_at: str
    readings: Tuple[str, ...] = ()
    clock_ticks_per_s: int = 100
    page_size_bytes: int = 4096
    arguments: Tuple[str, ...] = ()
    selection: Tuple[Mapping[str, Any], ...] = ()  # {"pid": 1, "why": "holds /dev/nvidia0"}
    collector: Mapping[str, Any] = {}  # uid, capabilities, allowed_cpus, allowed_mems, cgroup, namespaces, seccomp
    entries: Tuple[Entry, ...] = ()
    commands: Tuple[CommandRun, ...] = ()
    redactions: Mapping[str, int] = {}
    interrupted: bool = False
    mark: str = ""  # one of core/marks.py, or none
    pseudonyms: Mapping[str, int] = {}  # how many names of each kind have one; left out where no name has

    def to_json(self) -> bytes:
        """The bytes of manifest.json: keys in this order, empty optional fields of entries and an empty mark left out."""
        document: Dict[str, Any] = {"format": FORMAT, **self._asdict()}
        if not self.pseudonyms:
            del document["pseudonyms"]
        if not self.mark:
            del document["mark"]
        document["entries"] = [_short(entry._asdict(), Entry._field_defaults) for entry in self.entries]
        document["commands"] = [_short(run._asdict(), CommandRun._field_defaults) for run in self.commands]
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"

    @classmethod
    def from_json(cls, data: bytes, origin: str = "manifest.json") -> Manifest:
        """Read manifest.json; unknown keys are ignored. InputError if it is damaged or made by a newer numaaudit."""
        try:
            document = json.loads(data.decode("utf-8"))
            made = str(document.get("format"))
            if made != FORMAT and made.startswith(ANY_FORMAT.decode()):
                raise InputError("%s: made by a newer numaaudit (%s)" % (origin, shown(made)), "update numaaudit")
            if made != FORMAT:
                raise InputError("%s: not a manifest of numaaudit" % origin)
            known = _fields(cls, document)
            known["entries"] = tuple(Entry(**_fields(Entry, item)) for item in known.get("entries", ()))
            known["commands"] = tuple(_command(item) for item in known.get("commands", ()))
            known["selection"] = tuple(dict(item) for item in known.get("selection", ()))
            for name in ("readings", "arguments"):
                known[name] = tuple(map(str, known.get(name, ())))
            missing = [name for name in cls._fields if name not in known and name not in cls._field_defaults]
            if missing:
                raise ValueError("it has no %s" % ", ".join(missing))
            manifest = cls(**known)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InputError("%s: damaged: %s" % (origin, shown(str(error))), "collect again") from None
        if min(manifest.clock_ticks_per_s, manifest.page_size_bytes) < 1:
            raise InputError("%s: damaged: clock ticks and page size are above zero" % origin, "collect again")
        return manifest

    def gaps(self) -> Dict[str, Gap]:
        """What could not be read or run, by bundle path."""
        missed = [Gap(entry.outcome, entry.path, entry.reason) for entry in self.entries if entry.outcome != "ok"]
        missed += [Gap(run.outcome, run.path, run.reason) for run in self.commands if run.outcome != "ok"]
        return {gap.path: gap for gap in missed}


def command_path(argv: Tuple[str, ...]) -> str:
    """The bundle path of a command's standard output: ``commands/nvidia-smi_topo_-m.out``."""
    joined = "_".join((argv[0].rsplit("/", 1)[-1],) + tuple(argv[1:]))
    return "commands/%s.out" % "".join(char if char.isascii() and (char.isalnum() or char in ".=,-") else "_" for char in joined)


def _short(fields: Dict[str, Any], defaults: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in defaults or value != defaults[name]}


def _command(item: Mapping[str, Any]) -> CommandRun:
    fields = _fields(CommandRun, item)
    return CommandRun(**{**fields, "argv": tuple(map(str, fields["argv"]))})


_JSON_TYPES: Dict[type, Set[type]] = {str: {str}, int: {int}, float: {int, float}, bool: {bool}, tuple: {list}, dict: {dict}}
_OTHER_TYPES: Dict[str, Set[type]] = {
    "argv": {list},
    "link": {str, type(None)},
    "exit_code": {int, type(None)},
    "signal": {int, type(None)},
}


@lru_cache(maxsize=None)
def _types(kind: Any) -> Dict[str, Set[type]]:
    return {name: _OTHER_TYPES.get(name) or _JSON_TYPES[type(kind._field_defaults.get(name, ""))] for name in kind._fields}


def _fields(kind: Any, item: Mapping[str, Any]) -> Dict[str, Any]:
    """The known keys of a JSON object; TypeError if a value is not of its field's type."""
    types = _types(kind)
    known = {name: value for name, value in item.items() if name in types}
    for name, value in known.items():
        if type(value) not in types[name]:  # what json makes has exactly these types
            raise TypeError("%s is a %s" % (name, type(value).__name__))
    return known
