"""Turn what the user names into a host: a bundle, a directory, a text, ``-``, or nothing for this host now."""

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numaaudit.model.host import Host
    from numaaudit.report.view import Input


class Loaded(NamedTuple):
    host: "Host"
    source: "Input"


def load(path: str | None, host_name: str | None = None) -> Loaded:
    """Read evidence and join it. InputError where there is none; CollectError where this host cannot be read."""
    from numaaudit.model.host import build_host
    from numaaudit.report.view import Input

    if path is None:
        return _live()
    from numaaudit.bundle.opening import open_input

    opened = open_input(path, host=host_name, stdin=_standard_input() if path == "-" else None)
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


def _standard_input() -> bytes:
    from numaaudit.bundle.limits import LIMITS
    from numaaudit.core.errors import LimitError

    data = sys.stdin.buffer.read(LIMITS.total_bytes + 1)
    if len(data) > LIMITS.total_bytes:
        raise LimitError("standard input: more than 4 GiB", "write it to a file and name the file")
    return data
