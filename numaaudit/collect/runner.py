"""One collection, from the selection to what a bundle holds. It reads and never writes.

Order: processes, samples of their pages, files of the host, ordinary commands, GPU tools, second reading. The last two may
disturb or hang what they ask, so they come when all else is safe.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Callable, NamedTuple, Optional, Sequence, Tuple

import numaaudit
from numaaudit.bundle.manifest import Manifest, command_path
from numaaudit.bundle.storage import printable
from numaaudit.bundle.tree import Members, Tree
from numaaudit.collect import about
from numaaudit.collect.cgroups import Mounts, chain
from numaaudit.collect.collector import Read, declared_paths, of_scope
from numaaudit.collect.gathering import Gathering, Progress, Stop
from numaaudit.collect.host_files import HostReader
from numaaudit.collect.log_files import name_logs, read_log
from numaaudit.collect.options import CollectOptions, arguments
from numaaudit.collect.pod_list import ARGV, ListedPod, listing, read_pods
from numaaudit.collect.pod_resources import MEMBER, read_pod_resources
from numaaudit.collect.pods import pod_uids
from numaaudit.collect.process_files import PROCESS_S, ProcessReader
from numaaudit.collect.readings import READINGS_APART_S, read_again
from numaaudit.collect.sampled import tell_sampled
from numaaudit.collect.samples import sample_pages
from numaaudit.collect.selection import Selection, select
from numaaudit.core.errors import UsageError
from numaaudit.core.marks import MARKS

HOST_FILES_S = 10.0  # for one collector

Hide = Callable[[Manifest, Members], Tuple[Manifest, Members]]


class Collection(NamedTuple):
    """Evidence in memory: what the manifest says and what a bundle would hold; the signature of the manifest, if it was signed."""

    manifest: Manifest
    members: Members
    selection: Selection
    signature: bytes = b""

    def tree(self) -> Tree:
        return Tree(self.members, gaps=self.manifest.gaps())


def collect(
    options: CollectOptions,
    stop: Stop = lambda: False,
    path: str = os.defpath,
    progress: Progress = lambda _: None,
) -> Collection:
    """Collect what ``options`` ask for. ``path`` is the PATH to find tools in; ``progress`` is told of each step.

    CollectError if no process is selected, UsageError for an option that makes no sense. Once ``stop()`` is true the rest is
    recorded as not run.
    """
    if not options.deadline_s > 0:  # nor NaN
        raise UsageError("--deadline %s: not a number of seconds above 0" % options.deadline_s)
    listed = read_pods(options.kubectl_pods) if options.kubectl_pods else []
    if options.mark not in ("", *MARKS):
        raise UsageError("--mark %s: not one of %s" % (options.mark, ", ".join(MARKS)))
    gathering = Gathering(options, stop, path, progress)
    hide = _pseudonyms(gathering)
    collected_at = about.now()
    progress("choosing processes")
    selection = select(options, gathering.until, stop)
    pids = list(selection.reasons)
    _processes(gathering, pids)
    sample_pages(gathering, pids)
    tell_sampled(gathering, pids)
    not_before = time.monotonic() + READINGS_APART_S
    _host_files(gathering)
    _cgroups(gathering, pids)
    _logs(gathering)
    _pods(gathering, pids, listed)
    _pod_resources(gathering)
    commands = {name: unit for name, unit in gathering.collectors.items() if unit.commands}
    gathering.commands("running tools", {name: unit for name, unit in commands.items() if not unit.gpu_tool})
    gathering.commands("running GPU tools", {name: unit for name, unit in commands.items() if unit.gpu_tool})
    read_again(gathering, pids, not_before)
    _window(gathering, pids)
    manifest, members = _manifest(gathering, collected_at, selection), gathering.record.members
    if hide:
        manifest, members = hide(manifest, members)
    return Collection(manifest, members, selection)


def _pseudonyms(gathering: Gathering) -> Optional[Hide]:
    """What replaces names in the end; the key is read before the host is."""
    if not gathering.options.pseudonyms:
        return None
    from numaaudit.bundle.pseudonymise import pseudonymised  # start-up: few need it
    from numaaudit.collect.pseudonym_key import pseudonyms_of

    names = pseudonyms_of(gathering.options, gathering.tree)
    return partial(pseudonymised, names=names, declared=declared_paths(gathering.collectors))


def _processes(gathering: Gathering, pids: Sequence[int]) -> None:
    gathering.progress("reading %d processes" % len(pids))
    gathering.readings += [about.now()] if pids or gathering.schedule else []
    reader = ProcessReader(gathering.options.root, gathering.collectors, gathering.options.pages)
    for event in gathering.read(reader, pids, PROCESS_S):
        gathering.record.miss("root/" + (event.trying or "proc/%d" % event.item), event.outcome, event.reason)
        for path in reader.after(event.item, event.trying):
            gathering.record.miss("root/" + path, "not-run", "no answer from %s, which comes before it" % event.trying)


def _host_files(gathering: Gathering) -> None:
    gathering.progress("reading the host")
    units = {name: unit for name, unit in of_scope(gathering.collectors, "host").items() if not unit.commands}
    for event in gathering.read(HostReader(gathering.options.root, units), list(units), HOST_FILES_S):
        unit = units[event.item]
        for pattern in (event.trying,) if event.trying else unit.files + unit.links + unit.devices:
            gathering.record.miss("root/" + pattern, event.outcome, event.reason, event.item)


def _cgroups(gathering: Gathering, pids: Sequence[int]) -> None:
    mounts = Mounts.of(gathering.tree.text("root/proc/mounts") or "")
    folders = {folder: None for pid in pids for folder in chain(gathering.tree, mounts, gathering.collected(pid, "cgroup"))}
    reader = HostReader(gathering.options.root, of_scope(gathering.collectors, "cgroup"))
    for event in gathering.read(reader.in_cgroup, list(folders), HOST_FILES_S):
        gathering.record.miss("root/" + event.item, event.outcome, event.reason)


def _logs(gathering: Gathering) -> None:
    logs = name_logs(gathering.options.logs)
    for event in gathering.read(read_log, logs, HOST_FILES_S, "logs/"):
        gathering.record.miss("logs/" + event.item.name, event.outcome, event.reason)


def _pods(gathering: Gathering, pids: Sequence[int], listed: Sequence[ListedPod]) -> None:
    """The given list, of the pods whose processes are collected."""
    uids = {uid for pid in pids for uid in pod_uids(gathering.collected(pid, "cgroup"))}
    if listed:
        gathering.record.add(Read("kubectl_pods", command_path(ARGV), data=listing(listed, uids), reason="given by --kubectl-pods"), "")


def _pod_resources(gathering: Gathering) -> None:
    """The kubelet of this host; in another root its socket is nobody's."""
    if gathering.options.root == "/":
        for event in gathering.read(read_pod_resources, ["/"], HOST_FILES_S, ""):
            gathering.record.miss(MEMBER, event.outcome, event.reason, "pod_resources")


def _window(gathering: Gathering, pids: Sequence[int]) -> None:
    if gathering.schedule:
        from numaaudit.collect.window import watch  # start-up: most collections have none

        watch(gathering, pids)


def _manifest(gathering: Gathering, collected_at: str, selection: Selection) -> Manifest:
    return Manifest(
        tool_version=numaaudit.__version__,
        rule_set=numaaudit.__version__,
        hostname=about.hostname(gathering.tree),
        host_id=about.host_id(gathering.tree),
        boot_id=about.boot_id(gathering.tree),
        collected_at=collected_at,
        readings=tuple(gathering.readings),
        clock_ticks_per_s=os.sysconf("SC_CLK_TCK"),
        page_size_bytes=os.sysconf("SC_PAGE_SIZE"),
        arguments=tuple(map(printable, arguments(gathering.options))),
        selection=tuple({"pid": pid, "why": printable(why)} for pid, why in selection.reasons.items()),
        collector=about.collector(gathering.tree),
        entries=gathering.record.entries(),
        commands=tuple(gathering.record.commands),
        redactions=dict(sorted(gathering.record.redactions.items())),
        interrupted=gathering.stop(),
        mark=gathering.options.mark,
    )
