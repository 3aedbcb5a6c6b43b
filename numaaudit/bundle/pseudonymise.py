"""A whole bundle under pseudonyms: members, their names, and what the manifest says of them."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, List, Sequence, Tuple

from numaaudit.bundle.manifest import CommandRun, Entry, Manifest, command_path
from numaaudit.bundle.pseudonym_texts import Texts
from numaaudit.bundle.pseudonyms import HOST, Pseudonyms
from numaaudit.bundle.storage import Handle, Leaf, Link, Members
from numaaudit.bundle.verify import directory_digest

# Fields of the manifest that hold no name, or that are treated one by one; all others are replaced as texts.
_BY_NAME_BELOW = frozenset(
    "tool_version rule_set hostname host_id boot_id collected_at readings arguments entries commands redactions mark".split()
)
_FILES = ("--log", "--cgroup", "--kubectl-pods")


def pseudonymised(manifest: Manifest, members: Members, names: Pseudonyms, declared: Sequence[str] = ()) -> Tuple[Manifest, Members]:
    """The same evidence with pseudonyms for the names in it; digests are those of what it holds now.

    ``declared`` are the globs of what is collected of a host: their literal parts stay (pseudonym_paths.Paths).
    """
    work = _Work(manifest, members, names, declared)
    work.learn()
    kept = work.members()
    return work.manifest(kept), kept


class _Work:
    def __init__(self, manifest: Manifest, members: Members, names: Pseudonyms, declared: Sequence[str]) -> None:
        self._manifest = manifest
        self._before = members
        self._names = names
        self._texts = Texts(names, declared)
        self._commands: Dict[str, str] = {}

    def learn(self) -> None:
        """Meet every name once, wherever it is told."""
        step = self._manifest.collector.get("slurm") or {}
        for host in filter(None, (self._manifest.hostname, step.get("host"))):
            self._names.learn_host(host)
        for path, handle in self._files():
            if isinstance(handle, Leaf):
                self._texts.replace(path, self._before.read(handle))
            self._path(path)
        self._names.settle()

    def _files(self) -> List[Tuple[str, Handle]]:
        return list(self._before.walk(self._before.top))

    def members(self) -> Members:
        kept = Members()
        self._commands = {run.path: command_path(self._argv(run.argv)) for run in self._manifest.commands}
        for path, handle in self._files():
            if isinstance(handle, Leaf):
                kept.add_bytes(self._path(path), self._texts.replace(path, self._before.read(handle)))
            else:
                kept.add(self._path(path), Link(self._link(handle.target)) if isinstance(handle, Link) else None)
        return kept

    def manifest(self, kept: Members) -> Manifest:
        """The manifest of the members as they are now."""
        before = self._manifest
        others = {name: self._told(name, value) for name, value in before._asdict().items() if name not in _BY_NAME_BELOW}
        return before._replace(
            **{
                **others,
                "hostname": self._names.learn_name(HOST, before.hostname) if before.hostname else "",
                "host_id": self._names.digest("host id", before.host_id)[:32] if before.host_id else "",
                "boot_id": self._names.uuid(before.boot_id, "boot") if before.boot_id else "",
                "arguments": tuple(self._arguments()),
                "entries": tuple(sorted(self._entry(entry, kept) for entry in before.entries)),
                "commands": tuple(map(self._run, before.commands)),
                "pseudonyms": {kind: number for kind, number in self._names.counts.items() if kind != "boot"},
            }
        )

    def _told(self, key: str, value: Any) -> Any:
        """A part of the manifest by the name it has there."""
        if isinstance(value, str):
            return self._texts.cgroups(value) if key == "cgroup" and ":" in value else self._texts.text(value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._told(key, each) for each in value)
        return {name: self._told(name, each) for name, each in value.items()} if isinstance(value, dict) else value

    def _arguments(self) -> List[str]:
        """As they were typed: what a path option had is a path, also where it has no slash."""
        typed = self._manifest.arguments
        return [
            self._texts.paths.file_name(word) if before in _FILES and "/" not in word else self._texts.text(word)
            for before, word in zip(("", *typed), typed)
        ]

    def _path(self, path: str) -> str:
        """The name of a member. Below /proc, /dev and /sys names are the kernel's, but for control groups."""
        top, _, below = path.partition("/")
        if top == "logs":
            return "logs/" + self._texts.paths.file_name(below)
        if top == "commands":
            stem, dot, kind = path.rpartition(".")
            return self._commands.get(stem + ".out", stem + ".out")[: -len("out")] + kind if dot else path
        start = path.find("root/") + len("root")
        if start < len("root") or path[start:].startswith(("/proc/", "/dev/")):
            return path
        return path[:start] + self._texts.paths.file(path[start:])

    def _link(self, target: str) -> str:
        return self._texts.paths.path(target) if target.startswith("/") else target

    def _argv(self, argv: Tuple[str, ...]) -> Tuple[str, ...]:
        return argv[:1] + tuple(self._texts.argument(word) for word in argv[1:])

    def _run(self, run: CommandRun) -> CommandRun:
        return run._replace(argv=self._argv(run.argv), path=self._commands[run.path], reason=self._texts.text(run.reason))

    def _entry(self, entry: Entry, kept: Members) -> Entry:
        path = self._path(entry.path)
        handle = kept.at(path) if entry.sha256 else None
        size, digest = entry.size, entry.sha256
        if handle is not None and kept.kind(handle) == "dir":
            size, digest = directory_digest(kept, path, handle)
        elif handle is not None:
            data = kept.read(handle)
            size, digest = len(data), hashlib.sha256(data).hexdigest()
        link = None if entry.link is None else self._link(entry.link)
        return entry._replace(path=path, size=size, sha256=digest, link=link, reason=self._texts.text(entry.reason))
