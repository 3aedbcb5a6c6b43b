"""The page on what a bundle holds: built from the declarations and lists that decide it, so that it cannot say anything else."""

from __future__ import annotations

import textwrap
from typing import Iterable, Iterator, List, Tuple

from numaaudit.bundle import redact_lists
from numaaudit.bundle.redact import RULES
from numaaudit.collect.collector import Collector, collectors, purpose

NAME = "what-is-kept"

_INTRODUCTION = """\
# What a bundle holds

`numaaudit collect` reads what is listed here and nothing else. It changes nothing on the host, writes one file that only its owner
can read, and sends nothing anywhere. What is dropped never leaves memory; how much of each kind was dropped is counted under
`redactions` in `manifest.json`. The same filter goes over foreign input before it is shown. `collect --dry-run` says what would be
read and run on this host."""

_PLACES = (
    ("host", "## Files of the host", "/"),
    ("process", "## Files of each process", "/proc/PID/"),
    ("thread", "## Files of each thread", "/proc/PID/task/TID/"),
    ("cgroup", "## Files of each cgroup, from a process's own up to the root", ""),
)

_ABOUT_PAGES = """\
`numa_maps` is read whole only while at most 1 GiB of the process is resident, or with `--pages full`; else, and of each thread, its
first 64 bytes: address and policy of one mapping. Of a larger process `maps` and `mountinfo` are read, random pages are asked for
with move_pages(2), and `samples/pages-PID.json` keeps numbers: sizes, counts by kind of mapping and NUMA node. Of `fd` only links
to devices of accelerators and RDMA NICs are kept."""

_ABOUT_WINDOWS = """\
With `--duration` the files of counters and `stat` of each process and thread are read again at both ends of the window, into
`again/1/` and `again/2/`. `samples/window.json` keeps numbers of the readings in between: how counters grew, and of each thread that
ran its ids, CPU time, the CPUs it was seen on and how often it moved."""

_MANIFEST = """\
## What the manifest says

`manifest.json` lists every file with its size, digest, and how it was got; host name, boot id, a hash of `/etc/machine-id` (not the
id); times; the options typed, of a log only its base name; which processes were chosen and why; of the collector itself its user id,
capabilities, masks, cgroup, namespaces and seccomp mode; in a Slurm job its id, the step's, and Slurm's name of the host."""

_NEVER = """\
## What is never read

- the memory of any process, registers, stacks, core files
- contents of files of users, but for logs named by `--log` and a list of pods named by `--kubectl-pods`, of which identity, class,
  requests and limits of the chosen processes' pods are kept; of a mapped file at most its kind and extension are kept
- the network: no address, route or firewall table; of sockets only that of this host's own kubelet, which is asked what containers got
- keys, shell histories, mail, schedules; names of accounts only with `--pseudonyms`, to replace them
- contents of device files: of `/dev` only names and numbers are kept"""


_PSEUDONYMS = """\
## With `--pseudonyms KEYFILE`

Names of hosts, accounts, pods, containers and paths become `host-3f2a9c01bd` and the like before anything is written: a keyed hash
(HMAC-SHA256 under the content of the file), the same in all bundles of one key and unlinkable without it. UUIDs of pods and GPUs,
ids of containers, the boot id and the host id become others of the same shape. The manifest counts them and says nothing of the key.

- hosts: the host's own name, with or without its domain; names and addresses that logs tell
- accounts: those of `/etc/passwd` from user id 1000 on; `user=NAME` in logs
- pods and containers: where control groups, the kubelet, kubectl and options name them
- paths: control groups and systemd units that not every host has, mount points, logs, files named in logs, options and the
  environment, programs below `/opt` and `/usr/local`; names of shared libraries stay

What stays: names of programs, threads, network interfaces and kernel devices, PCI addresses, models, versions, user ids as numbers,
job ids, and words of everybody's (`worker`, `vllm`, `node`) inside texts. Of Kubernetes lists, labels, annotations, images, commands
and variables are emptied. A log may tell a name in a way that no rule knows: read it before you give it away."""


def page() -> str:
    """The page, in Markdown."""
    units = collectors()
    parts = [
        _INTRODUCTION,
        *("\n".join([title, "", *_patterns(units.items(), scope, folder)]) for scope, title, folder in _PLACES),
        _ABOUT_PAGES,
        _ABOUT_WINDOWS,
        "\n".join(["## Commands", "", *_commands(units.items())]),
        "\n".join(["## What stays of them", "", *_rules(), "- of everything else: everything"]),
        _MANIFEST,
        _NEVER,
        _PSEUDONYMS,
        *_lists(),
    ]
    return "\n\n".join(parts) + "\n"


def _patterns(units: Iterable[Tuple[str, Collector]], scope: str, folder: str) -> Iterator[str]:
    for name, unit in units:
        if unit.scope == scope and not unit.commands:
            yield "- %s: %s" % (name, purpose(name))
            yield from ("  - `%s%s`" % (folder, pattern) for pattern in unit.files)
            yield from ("  - the target of `%s%s`" % (folder, pattern) for pattern in unit.links)
            yield from ("  - the numbers of `%s%s`" % (folder, pattern) for pattern in unit.devices)


def _commands(units: Iterable[Tuple[str, Collector]]) -> Iterator[str]:
    for name, unit in units:
        if unit.commands:
            yield "- %s: %s" % (name, purpose(name))
            yield from ("  - `%s`%s" % (" ".join(argv), " of each" if unit.operands else "") for argv in unit.commands)


def _rules() -> Iterator[str]:
    for rule in RULES:
        yield "- of %s: %s (counted as: %s)" % (rule.files, rule.kept, rule.kind)


def _lists() -> List[str]:
    """Each list of names that redaction lets through."""
    options = sorted(set(redact_lists.LONG_OPTIONS.values()))
    return [
        _listed("Environment variables", redact_lists.ENVIRONMENT),
        *(_listed("Options whose value is a %s" % kind, _of_kind(kind)) for kind in options if kind != redact_lists.FLAG),
        _listed("Options without a value", _of_kind(redact_lists.FLAG)),
        *(_listed("Short options of %s" % program, short) for program, short in sorted(redact_lists.SHORT_OPTIONS.items()) if short),
        _listed("Words after a program's name", redact_lists.SUBCOMMANDS),
        _listed("Programs that start the program whose name is kept too", redact_lists.STARTERS),
        _listed("Kernel parameters", redact_lists.KERNEL_PARAMETERS),
        _listed("Settings of the kubelet", redact_lists.KUBELET_OPTIONS),
        _listed("Options of Slurm", redact_lists.SLURM_OPTIONS),
        _listed("Options of Slurm's resources", redact_lists.GRES_OPTIONS),
        _listed("File systems whose mounts are kept whole", redact_lists.PSEUDO_FILE_SYSTEMS),
        _listed("Extensions of mapped files", redact_lists.FILE_EXTENSIONS),
    ]


def _of_kind(kind: str) -> List[str]:
    return [name for name, each in redact_lists.LONG_OPTIONS.items() if each == kind]


def _listed(title: str, names: Iterable[str]) -> str:
    text = ", ".join("`%s`" % name.replace(" ", "\0") for name in sorted(names))  # no line may end inside of a name
    return "## %s\n\n%s" % (title, textwrap.fill(text, 130, break_long_words=False, break_on_hyphens=False).replace("\0", " "))
