"""Turn what the user names into a host: a bundle, a directory, a text, ``-``, or nothing for this host now."""

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

    opened = open_input(path, host=host_name, stdin=sys.stdin.buffer.read() if path == "-" else None)
    return Loaded(build_host(opened.tree, opened.manifest, opened.gaps), Input(path, opened.kind, opened.sha256))


def _live() -> Loaded:
    from numaaudit.collect.options import CollectOptions
    from numaaudit.collect.runner import collect
    from numaaudit.model.host import build_host
    from numaaudit.report.view import Input

    collection = collect(CollectOptions())
    return Loaded(build_host(collection.tree(), collection.manifest), Input("", "live", None))
