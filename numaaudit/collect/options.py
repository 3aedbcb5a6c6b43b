"""What ``numaaudit collect`` can be asked, declared once for every front end that builds a command line from it."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

from numaaudit.core.errors import UsageError
from numaaudit.core.marks import MARKS

ABOUT = """Freeze the evidence of this host in one file. Do so before anyone restarts anything. Reads only.

Exit codes: 0 written, 2 wrong usage, 4 nothing selected or nothing written, 130 interrupted (what was read is written)."""


class CollectOptions(NamedTuple):
    """One collection. Without a selection the processes that hold an accelerator device are collected."""

    pids: Tuple[int, ...] = ()
    match: str = ""
    gpu_procs: bool = False
    cgroup: str = ""
    container: str = ""
    pod: str = ""
    kubectl_pods: str = ""
    all_processes: bool = False
    host_only: bool = False
    logs: Tuple[str, ...] = ()
    pages: str = "sample"
    deadline_s: float = 60.0
    output: str = ""
    root: str = "/"
    dry_run: bool = False
    duration: str = ""
    every: str = ""
    mark: str = ""
    sign: str = ""
    pseudonyms: str = ""
    emit_portable: str = ""
    emit_shell: str = ""


class Option(NamedTuple):
    """One option: ``kind`` is the type of one value (bool: a switch), ``many`` says that it may be repeated."""

    name: str  # the field of CollectOptions
    flags: Tuple[str, ...]
    kind: type
    help: str
    many: bool = False
    choices: Tuple[str, ...] = ()
    metavar: str = ""

    @property
    def default(self) -> Any:
        return CollectOptions._field_defaults[self.name]


OPTIONS = (
    Option("pids", ("--pid", "-p"), int, "Collect this process. May be repeated.", many=True, metavar="PID"),
    Option("match", ("--match", "-m"), str, "Collect processes whose command line matches, their descendants, and the holders of "
           "accelerator devices in their cgroup.", metavar="REGEX"),
    Option("gpu_procs", ("--gpu-procs",), bool, "Collect processes that hold an accelerator device. The default."),
    Option("cgroup", ("--cgroup",), str, "Collect the processes of this cgroup and of those below it.", metavar="PATH"),
    Option("container", ("--container",), str, "Collect the processes of this container (Docker, containerd, CRI-O, Podman).",
           metavar="ID"),
    Option("pod", ("--pod",), str, "Collect the processes of this pod: its name, with or without the namespace, or its UID.",
           metavar="[NAMESPACE/]NAME"),
    Option("kubectl_pods", ("--kubectl-pods",), str, "What `kubectl get pods -A -o json` printed: names pods, and what they ask for.",
           metavar="FILE"),
    Option("all_processes", ("--all",), bool, "Collect every process that has memory."),
    Option("host_only", ("--host-only",), bool, "Collect no process, only the host."),
    Option("logs", ("--log",), str, "Add a launcher's or application's log, redacted. May be repeated.", many=True, metavar="FILE"),
    Option("pages", ("--pages",), str, "Where pages are: 'sample' reads numa_maps of processes of at most 1 GiB, and asks for "
           "random pages of larger ones; 'full' reads numa_maps of all (it holds up a process by about 9 ms per GiB), 'none' of none. The "
           "policy is always read.", choices=("sample", "full", "none")),
    Option("deadline_s", ("--deadline",), float, "Seconds after which what is not read is left out.", metavar="SECONDS"),
    Option("output", ("--output", "-o"), str, "The bundle to write; by default a new name in this directory; - is standard "
           "output, packed by gzip, and what there is to say goes to standard error.", metavar="FILE"),
    Option("root", ("--root",), str, "Read this directory in place of the host's root; commands are then not run.", metavar="DIR"),
    Option("dry_run", ("--dry-run",), bool, "Print what would be read and run, and why; read no evidence and write nothing."),
    Option("duration", ("--duration",), str, "Watch for so long, such as 30s: counters, interrupts, and where threads run. It comes "
           "on top of --deadline.", metavar="TIME"),
    Option("every", ("--every",), str, "How far apart the readings of a watch are; 1s if it is not said.", metavar="TIME"),
    Option("mark", ("--mark",), str, "What this collection is in a comparison.", metavar="|".join(MARKS)),
    Option("sign", ("--sign",), str, "Sign the bundle with this OpenSSH key; it may be a public one whose other half ssh-agent has.",
           metavar="KEY"),
    Option("pseudonyms", ("--pseudonyms",), str, "Replace the names of hosts, users, pods, containers and paths by pseudonyms that are the "
           "same in all bundles of this key.", metavar="KEYFILE"),
    Option("emit_portable", ("--emit-portable",), str, "Collect nothing: write this collector as one file that needs only Python 3.8 or "
           "newer; - is standard output.", metavar="FILE"),
    Option("emit_shell", ("--emit-shell",), str, "Collect nothing: write a POSIX sh script that collects where there is no Python; - "
           "is standard output.", metavar="FILE"),
)  # fmt: skip


def typed_or_default(option: Option, typed: Any) -> Any:
    """What was typed, or the default for None. UsageError for an empty text.

    A variable that a script has not set (``--pseudonyms "$KEY"``) would otherwise ask for less than it says.
    """
    if typed is None:
        return option.default
    if typed == "" or (option.many and "" in typed):
        raise UsageError("%s: empty" % option.flags[0])
    return typed


def arguments(options: CollectOptions) -> Tuple[str, ...]:
    """The options that differ from their defaults, as one would type them; where they write to, and who signs, is no evidence."""
    typed: List[str] = []
    for option in OPTIONS:
        value = getattr(options, option.name)
        if value == option.default or option.name in ("output", "root", "sign", "pseudonyms"):
            continue
        if option.kind is bool:
            typed.append(option.flags[0])
            continue
        for one in value if option.many else (value,):
            typed += [option.flags[0], str(one).rpartition("/")[2] if option.name in ("logs", "kubectl_pods") else "%s" % one]
    return tuple(typed)
