"""What ``collect`` says at its end: what was selected and why, what could not be read, and where it all is."""

from __future__ import annotations

import re
from collections import Counter
from typing import Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

from numaaudit.bundle.manifest import Entry, Manifest
from numaaudit.bundle.tree import Tree
from numaaudit.collect.collector import NOT_HERE
from numaaudit.collect.sampled import SAMPLED
from numaaudit.core.procfs import parse_status
from numaaudit.core.units import format_bytes
from numaaudit.core.viewpoint import unseen

_MOST_PROCESSES = 20
_MANY = 8  # processes chosen for one reason that are still told one by one: the ranks of a host
_MOST_COMMAND = 60
_MOST_FILES = 3
_RUN = "; run: "
_PID = re.compile(r" --pid (\d+)")
_OURS = "numaaudit collect"
_PROCESS = re.compile(r"root/proc/\d")
_NUMBER = re.compile(r"/\d+")


class _Missed(NamedTuple):
    path: str
    outcome: str
    reason: str


def summary(manifest: Manifest, tree: Tree, path: str, size_bytes: int, program: str) -> List[str]:
    """The lines for people, about a bundle of so many bytes at ``path``. ``program``: how ``numaaudit collect`` is called here."""
    interrupted = ["Interrupted: what was not read by then is recorded as not run."] if manifest.interrupted else []
    return [
        *_selected(manifest, tree),
        *_not_seen(manifest, tree.text("root/proc/mounts") or ""),
        *_sampled(manifest, program),
        *_not_read(manifest, program),
        *interrupted,
        "%s: %s, %d files" % (path, format_bytes(size_bytes), num_files(manifest)),
    ]


def num_files(manifest: Manifest) -> int:
    """How many files, links and printed texts a bundle holds."""
    return sum(entry.files for entry in manifest.entries if _is_kept(entry))


def commonest_reason(entries: Iterable[Entry]) -> str:
    """Why most of these gave nothing."""
    reasons = Counter(entry.reason.partition(_RUN)[0] for entry in entries if not _is_kept(entry))
    return reasons.most_common(1)[0][0] if reasons else "nobody knows why"


def _is_kept(entry: Entry) -> bool:
    return bool(entry.size or entry.link or entry.sha256)


def _selected(manifest: Manifest, tree: Tree) -> Iterator[str]:
    chosen = manifest.selection
    if not chosen:
        yield "Selected no process, only the host."
        return
    own = [entry for entry in manifest.entries if _PROCESS.match(entry.path)]
    if not any(map(_is_kept, own)):
        yield "Nothing was read of what was selected: %s" % commonest_reason(own)
    yield "Selected %s:" % _count(len(chosen), "process", "processes")
    by_reason = Counter(item["why"] for item in chosen)
    alone = [item for item in chosen if by_reason[item["why"]] <= _MANY]
    yield from ("  %d processes: %s" % (count, why) for why, count in by_reason.items() if count > _MANY)
    for item in alone[:_MOST_PROCESSES]:
        yield "  %s: %s" % (" ".join(filter(None, (str(item["pid"]), _command(tree, item["pid"])))), item["why"])
    if len(alone) > _MOST_PROCESSES:
        yield "  and %d more" % (len(alone) - _MOST_PROCESSES)


def _command(tree: Tree, pid: int) -> str:
    """The command line as the bundle has it, else the name; empty where neither could be read."""
    words = (tree.text("root/proc/%d/cmdline" % pid) or "").replace("\0", " ").strip()
    if words:
        return words if len(words) <= _MOST_COMMAND else words[:_MOST_COMMAND] + "..."
    return parse_status(tree.text("root/proc/%d/status" % pid) or "").get("Name", "")


def _not_seen(manifest: Manifest, mounts: str) -> Iterator[str]:
    words = [line.split(" ") for line in mounts.splitlines()]
    hidden = unseen(manifest.collector.get("namespaces") or {}, [(each[2], each[1]) for each in words if len(each) > 3])
    if hidden:
        yield "Collected in a container, so not seen are:"
        yield from ("  " + what for what in hidden)
        yield "  what the host has can be found wrong from here, but not right; collect on the host"


def _sampled(manifest: Manifest, program: str) -> Iterator[str]:
    """What is known well enough, and how to know it all."""
    found = [(SAMPLED.match(entry.reason), entry.reason) for entry in manifest.entries]
    drawn = [(int(match[1]), reason[match.end() :].partition(" (")) for match, reason in found if match]
    if drawn:
        commands = ", ".join(_for_all((command for _, (command, _, _) in drawn), program))
        yield "Sampled %d random pages of %s; all of them: %s (%s" % (
            sum(pages for pages, _ in drawn), _count(len(drawn), "process", "processes"), commands, drawn[0][1][2],
        )  # fmt: skip


def _not_read(manifest: Manifest, program: str) -> Iterator[str]:
    """Folded by reason. What this host simply does not have is no news."""
    missed = [_Missed(entry.path, entry.outcome, entry.reason) for entry in manifest.entries if entry.outcome != "ok"]
    missed += [_Missed(run.argv[0], run.outcome, run.reason) for run in manifest.commands if run.outcome != "ok"]
    folded: Dict[Tuple[str, str], List[_Missed]] = {}
    for one in missed:
        if one.reason != NOT_HERE and not SAMPLED.match(one.reason):
            folded.setdefault((one.outcome, one.reason.partition(_RUN)[0]), []).append(one)
    if folded:
        yield "Could not be read:"
    for (outcome, reason), group in sorted(folded.items()):
        yield "  %s, %s (%s): %s" % (outcome, _count(len(group), "time", "times"), _shapes(group), reason)
        yield from ("    run: " + command for command in _for_all((one.reason.partition(_RUN)[2] for one in group), program))


def _shapes(group: List[_Missed]) -> str:
    shapes = list(dict.fromkeys(_NUMBER.sub("/*", one.path) for one in group))
    return ", ".join(shapes[:_MOST_FILES]) + (", ..." if len(shapes) > _MOST_FILES else "")


def _for_all(commands: Iterable[str], program: str) -> List[str]:
    """The commands that would read it, one for all processes where they differ in that only."""
    pids: Dict[str, Set[int]] = {}
    for command in commands:
        pids.setdefault(_PID.sub("", command).replace(_OURS, program, 1), set()).update(map(int, _PID.findall(command)))
    return [command + "".join(" --pid %d" % pid for pid in sorted(found)) for command, found in sorted(pids.items()) if command]


def _count(number: int, one: str, many: str) -> str:
    return "%d %s" % (number, one if number == 1 else many)
