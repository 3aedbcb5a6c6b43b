"""Turn what the user names into a host: a bundle, a directory, a text, ``-``, or nothing for this host now."""

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from numaaudit.cli.limits import limits

if TYPE_CHECKING:
    from numaaudit.model.host import Host
    from numaaudit.report.view import Input


PASTE_HINT = "paste what numactl, lscpu, nvidia-smi topo -m or hwloc print, files of /proc/PID or /sys, or a launcher's log"


class Loaded(NamedTuple):
    host: "Host"
    source: "Input"


def load(path: str | None, host_name: str | None = None) -> Loaded:
    """Read evidence and join it, to be judged. InputError where there is none; CollectError where this host cannot be read."""
    from numaaudit.core.errors import InputError

    loaded = read(path, host_name)
    if loaded.source.kind in ("text", "xml") and not loaded.host.records.has_recognised_text():
        raise InputError(f"{'standard input' if path == '-' else path}: nothing in it is recognised", PASTE_HINT)
    return loaded


def read(path: str | None, host_name: str | None = None) -> Loaded:
    """Likewise, to be shown: a text in which nothing is recognised is a gap."""
    from numaaudit.model.host import build_host
    from numaaudit.report.view import Input

    if path is None:
        return _live()
    from numaaudit.bundle.opening import open_input

    opened = open_input(path, host=host_name, limits=limits.get(), stdin=standard_input(path))
    return Loaded(build_host(opened.tree, opened.manifest, opened.gaps), Input(path, opened.kind, opened.sha256))


def _live() -> Loaded:
    """This host with the processes that hold an accelerator; without any, the host alone."""
    from numaaudit.collect.options import CollectOptions
    from numaaudit.collect.runner import collect
    from numaaudit.core.errors import NothingSelectedError
    from numaaudit.model.host import build_host
    from numaaudit.report.view import Input

    path = os.environ.get("PATH", os.defpath)
    try:
        collection = collect(CollectOptions(), path=path)
    except NothingSelectedError as nothing:
        print(f"numaaudit: {nothing}: looking at the host alone", file=sys.stderr)
        collection = collect(CollectOptions(host_only=True), path=path)
    return Loaded(build_host(collection.tree(), collection.manifest), Input("", "live", None))


def standard_input(path: str) -> bytes | None:
    """What comes from there where ``-`` was named. LimitError if that is too much."""
    if path != "-":
        return None
    from numaaudit.bundle.limits import to_raise
    from numaaudit.core.errors import LimitError
    from numaaudit.core.units import format_bytes

    most = limits.get().total_bytes
    data = sys.stdin.buffer.read(most + 1)
    if len(data) > most:
        raise LimitError(f"standard input: larger than {format_bytes(most)}", to_raise("total_bytes"))
    return data
