"""Writes the script: the fixed parts, and functions made from the collectors, the options and the redaction lists.

So a new collector is in the script without a word about it there. What it can choose by a Python function (``only_if``) the
script chooses by a function of the same name in choose.sh, or not at all: then it collects more than was asked.
"""

from __future__ import annotations

import json
import pkgutil
import re
from shlex import quote
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numaaudit
from numaaudit.bundle.manifest import command_path
from numaaudit.bundle.redact import REDACTED_NAMES, kind_of
from numaaudit.bundle.tree import braces
from numaaudit.collect.collector import Collector, collectors, of_scope
from numaaudit.collect.options import ABOUT, OPTIONS
from numaaudit.collect.program_file import write_program
from numaaudit.collect.shell.lists import list_functions

PARTS = (
    "start.sh", "watch.sh", "redact_words.sh", "redact_files.sh", "redact_text.sh", "keep.sh", "host.sh", "choose.sh", "processes.sh",
    "cgroups.sh", "select.sh", "tools.sh", "manifest.sh", "write.sh", "main.sh",
)  # fmt: skip
KNOWN_OPTIONS = ("pids", "match", "gpu_procs", "all_processes", "host_only", "pages", "deadline_s", "output", "root")
_OTHER_HELP = {
    "match": "Collect processes whose command line matches this extended regular expression (grep -E), their descendants, and the "
             "holders of accelerator devices in their cgroup.",
    "pages": "Where pages are: 'full' reads numa_maps of all (it holds up a process by about 9 ms per GiB), 'none', the default, of none. "
             "The policy is always read.",
}  # fmt: skip
# The function that redacts a file of this name, and output of a command by the kind of it; what has none is not collected.
_FILTERS = {"environ": "filter_environ", "cmdline": "filter_cmdline", "numa_maps": "filter_numa_maps", "mounts": "filter_mounts"}
_TEXT_FILTERS = {"line of text": "filter_text", "line of the kernel's log": "filter_kernel_log"}
_WIDTH = 78


def emit(target: str) -> List[str]:
    """Write the script; returns what to say of it. CollectError if it cannot be written."""
    return write_program(target, script().encode(), "a POSIX shell, cat, cp, mkdir, tar, tr, grep, readlink and date")


def script() -> str:
    """The text of the script."""
    units = collectors()
    head = "#!/bin/sh\n# numaaudit %s: %s\n" % (numaaudit.__version__, "freezes the evidence of this host in one file. Reads only.")
    made = [*_options(), *list_functions(), *_host(units), *_processes(units), _cgroup(units), *_tools(units), _filter_of()]
    parts = [_part(name) for name in PARTS]
    return "\n".join([head + parts[0], *parts[1:], "version=%s\n" % quote(numaaudit.__version__), *made, '\nmain "$@"\n'])


def _part(name: str) -> str:
    data = pkgutil.get_data("numaaudit.collect.shell", name)  # also out of a zip
    return (data or b"").decode()


def _options() -> Iterator[str]:
    known = [option for option in OPTIONS if option.name in KNOWN_OPTIONS]
    arms = ["        %s) option=%s ;;" % (" | ".join(option.flags), option.name) for option in known]
    yield "option_of() {\n    case $1 in\n%s\n        *) return 1 ;;\n    esac\n}" % "\n".join(arms)
    yield "usage() {\n    cat <<'END'\n%s\nEND\n}" % "\n".join(_usage())


def _usage() -> Iterator[str]:
    import textwrap  # only this needs it

    about, _, exit_codes = ABOUT.partition("\n\n")
    yield about
    yield "Without an option the processes that hold an accelerator device are collected."
    for option in OPTIONS:
        if option.name in KNOWN_OPTIONS:
            yield "\n  %s" % " ".join([", ".join(option.flags)] + ([] if option.kind is bool else [option.metavar or "none|full"]))
            yield from textwrap.wrap(_OTHER_HELP.get(option.name, option.help), _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
    yield "\n" + exit_codes


def _host(units: Mapping[str, Collector]) -> Iterator[str]:
    """A function ``host_NAME`` for each collector of the host, the list of them, and what each would have read."""
    host = {name: unit for name, unit in of_scope(units, "host").items() if not unit.commands}
    for name, unit in host.items():
        lines = ["collector=%s" % name, "choose=%s" % (_known_name(unit.only_if) or "every")]
        lines += ["files %s" % _quoted([folder, *names]) for folder, names in _by_folder(unit.files).items()]
        lines += ["links %s" % quote(plain) for pattern in unit.links for plain in braces(pattern)]
        lines += ["devices %s" % quote(plain) for pattern in unit.devices for plain in braces(pattern)]
        yield _function("host_%s" % name, lines)
    yield "host_collectors=%s" % quote("\n".join(host))
    arms = ["    %s) printf '%%s\\n' %s ;;" % (name, _quoted(unit.files + unit.links + unit.devices)) for name, unit in host.items()]
    yield _function("patterns_of", ["case $1 in", *arms, "esac"])


def _by_folder(patterns: Sequence[str]) -> Dict[str, List[str]]:
    """Names by the folder they are in, so that one cp takes all of one folder."""
    found: Dict[str, List[str]] = {}
    for pattern in patterns:
        for plain in braces(pattern):
            folder, _, name = plain.rpartition("/")
            found.setdefault(folder, []).append(name)
    return found


def _processes(units: Mapping[str, Collector]) -> Iterator[str]:
    """The lists of what is read of each process and thread, as COLLECTOR:NAME; of open files COLLECTOR:PREDICATE:FOLDER."""
    own = of_scope(units, "process")
    left_out = [name for name, unit in own.items() if unit.links and not _known_name(unit.keep_target)]
    open_files = [(name, unit) for name, unit in own.items() if unit.links and name not in left_out]
    yield "own_files=%s" % quote(" ".join("%s:%s" % each for each in _names(own, locks_memory=False)))
    yield "locking_files=%s" % quote(" ".join("%s:%s" % each for each in _names(own, locks_memory=True)))
    yield "open_files=%s" % quote(" ".join("%s:%s:%s" % (name, _known_name(unit.keep_target), _beside(unit)) for name, unit in open_files))
    threads = of_scope(units, "thread")
    yield "thread_files=%s" % quote(" ".join(name for _, name in _names(threads, locks_memory=False)))
    yield "thread_policies=%s" % quote(" ".join(name for _, name in _names(threads, locks_memory=True)))
    reason = "this script cannot choose among open files as this collector does; run: numaaudit collect"
    yield _function("note_left_out", ["record not-run %s 'root/proc/*/fd' '' %s" % (name, quote(reason)) for name in left_out] or [":"])


def _names(units: Mapping[str, Collector], locks_memory: bool) -> Iterator[Tuple[str, str]]:
    for name, unit in units.items():
        if unit.locks_memory is locks_memory and not unit.links:
            yield from ((name, plain) for pattern in unit.files for plain in braces(pattern))


def _beside(unit: Collector) -> str:
    """The folder whose files are named as the links: ``fdinfo`` of ``fdinfo/*``."""
    return unit.files[0].rpartition("/")[0] if unit.files else ""


def _cgroup(units: Mapping[str, Collector]) -> str:
    lines = []
    for name, unit in of_scope(units, "cgroup").items():
        lines += ["collector=%s" % name, "keep_files %s" % _quoted([plain for pattern in unit.files for plain in braces(pattern)])]
    return _function("keep_cgroup_files", lines)


def _tools(units: Mapping[str, Collector]) -> Iterator[str]:
    for function, is_gpu_tool in (("start_tools", False), ("start_gpu_tools", True)):
        commands = [(name, unit, argv) for name, unit in units.items() if unit.gpu_tool is is_gpu_tool for argv in unit.commands]
        yield _function(function, [_tool(name, unit, argv) for name, unit, argv in commands] or [":"])


def _tool(name: str, unit: Collector, argv: Tuple[str, ...]) -> str:
    path = command_path(argv)
    text_filter = _TEXT_FILTERS.get(kind_of(path))
    operands = _known_name(unit.operands)
    if text_filter is None or (unit.operands and not operands):
        reason = "does not know what to ask about" if text_filter else "cannot redact what it prints"
        return "miss_tool %s" % _quoted([path, json.dumps(argv), reason])
    words = [name, path, json.dumps(argv), text_filter, *argv]
    return "tool_of_each %s" % _quoted([operands, *words]) if operands else "tool %s" % _quoted(words)


def _filter_of() -> str:
    arms = ["proc/cmdline) filter=filter_kernel_parameters ;;"]
    arms += ["*/%s) filter=%s ;;" % (name, _FILTERS.get(name, "none")) for name in sorted(REDACTED_NAMES)]
    return _function("filter_of", ["case $1 in", *("    " + arm for arm in arms), "    *) filter='' ;;", "esac"])


def _known_name(function: Optional[Callable[..., object]]) -> str:
    """The name of a function that the fixed parts have as well; empty if they have none."""
    name = function.__name__ if function else ""
    return name if re.search(r"^%s\(\) \{$" % re.escape(name), _part("choose.sh"), re.M) else ""


def _function(name: str, lines: Sequence[str]) -> str:
    return "%s() {\n%s\n}" % (name, "\n".join("    " + line for line in lines))


def _quoted(words: Sequence[str]) -> str:
    return " ".join(map(quote, words))
