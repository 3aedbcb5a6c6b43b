"""What both front ends do with the options: collect, write, and say what was done. They differ in how they read a command line."""

from __future__ import annotations

import os
import sys
from typing import List, Optional, Tuple

from numaaudit.bundle.compression import check_packing
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.new_file import check_folder, check_target
from numaaudit.collect.interrupt import Interrupt
from numaaudit.collect.log_files import check_logs
from numaaudit.collect.options import CollectOptions
from numaaudit.collect.runner import Collection, collect
from numaaudit.collect.slurm import step_of
from numaaudit.collect.summary import commonest_reason, num_files, summary
from numaaudit.collect.writing import Sign, send, signed, write
from numaaudit.core.errors import CollectError, UsageError
from numaaudit.core.visible import one_line

_STDOUT = "-"


def run(options: CollectOptions, program: str = "numaaudit collect") -> Tuple[List[str], int]:
    """Do what the options ask for; returns the lines to print and the exit code. CollectError and UsageError as in runner and writing.

    ``program`` is how this is called, for hints that name it.
    """
    if options.emit_portable or options.emit_shell:
        return list(map(one_line, _emit(options))), 0
    step = step_of(os.environ)
    if step and step.stands_back:
        sys.stderr.write("numaaudit: task %s of Slurm job %s leaves this host to task 0; to collect here all the same: SLURM_LOCALID=0\n"
                         % (step.local_id, step.job_id))  # fmt: skip
        return [], 0
    search_path = os.environ.get("PATH", os.defpath)
    if options.dry_run:
        from numaaudit.collect.dry_run import dry_run  # start-up: no collection needs it

        return list(map(one_line, dry_run(options, lambda: False, search_path))), 0
    _check_output(options.output)
    if options.logs:
        check_logs(options.logs)
    sign = _signing_with(options.sign, search_path) if options.sign else None
    with Interrupt() as stop:
        collection = collect(options, stop, search_path, _progress)
        _progress("")
        _check_read(collection.manifest)
        path, size_bytes = _deliver(collection, options.output, sign)
    lines = list(map(one_line, summary(collection.manifest, collection.tree(), path, size_bytes, program)))
    code = 130 if collection.manifest.interrupted else 0
    if options.output != _STDOUT:
        return lines, code
    sys.stderr.write("".join(line + "\n" for line in lines))
    return [], code


def _check_output(output: str) -> None:
    """CollectError or UsageError if no bundle can be written there; asked before the host is read."""
    if output == _STDOUT:
        if sys.stdout.isatty():
            raise UsageError("--output -: standard output is a terminal", "redirect it to a file")
    elif output:
        check_packing(output)
        check_target(output)
    else:
        check_folder(".")


def _check_read(manifest: Manifest) -> None:
    """CollectError for a bundle without any evidence, unless that is what was asked for by interrupting."""
    if not manifest.interrupted and not num_files(manifest):
        raise CollectError("nothing was read, so nothing is written: %s" % commonest_reason(manifest.entries), "see --deadline and --root")


def _deliver(collection: Collection, output: str, sign: Optional[Sign]) -> Tuple[str, int]:
    """Write the bundle; returns where it is, and its size in bytes."""
    name = "" if output == _STDOUT else output
    collection = signed(collection, name, sign) if sign else collection
    if output == _STDOUT:
        return "standard output", send(collection)
    path = write(collection, name)
    return path, os.stat(path).st_size


def _emit(options: CollectOptions) -> List[str]:
    """Write a collector in place of a collection; start-up: no collection needs what writes them."""
    if options not in (CollectOptions(emit_portable=options.emit_portable), CollectOptions(emit_shell=options.emit_shell)):
        raise UsageError("--emit-portable and --emit-shell collect nothing, so neither goes with another option")
    if options.emit_portable:
        from numaaudit.collect.portable import emit

        return emit(options.emit_portable)
    from numaaudit.collect.shell.script import emit as emit_script

    return emit_script(options.emit_shell)


def _signing_with(key: str, search_path: str) -> Sign:
    """What signs with this key; CollectError if it cannot."""
    from numaaudit.collect.signing import check_key, sign

    check_key(key, search_path)
    return lambda manifest: sign(manifest, key, search_path, os.environ.get("SSH_AUTH_SOCK", ""))


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K%s" % text)
        sys.stderr.flush()
