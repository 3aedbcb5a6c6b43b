"""What an input is compared with: an earlier output or bundle, or the hardware class it has to be of."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from numaaudit.cli.source import load

if TYPE_CHECKING:
    from numaaudit.compare.snapshot import Snapshot
    from numaaudit.model.host import Host
    from numaaudit.report.view import Input
    from numaaudit.rules.finding import Finding

ClassFile = Annotated[str | None, typer.Option("--class", metavar="FILE", help="The hardware class that this host has to be of.")]


def read(path: str) -> "tuple[Snapshot, Input]":
    """What an input is compared by. InputError where it cannot be used."""
    from numaaudit.compare.from_document import read_document, snapshot_of_document
    from numaaudit.compare.from_host import snapshot_of
    from numaaudit.report.view import Input
    from numaaudit.rules.engine import audit

    document = read_document(path)
    if document is not None:
        return snapshot_of_document(document.content, path), Input(path, "json", document.sha256)
    loaded = load(path)
    return snapshot_of(loaded.host, audit(loaded.host), loaded.source.kind), loaded.source


def new_failures(failing: "list[Finding]", baseline: str) -> "list[Finding]":
    """The failures that did not fail in the baseline; on standard error which these are."""
    from numaaudit.compare.findings import not_failing_in

    new = not_failing_in(read(baseline)[0], baseline, failing)
    names = f": {' '.join(finding.id for finding in new)}" if new else ""
    print(f"numaaudit: {len(new)} of {len(failing)} failures are not in the baseline{names}", file=sys.stderr)
    return new


def of_class(host: "Host", class_file: str | None) -> "Host":
    """The host with the class that it is expected to be of, if one is named. InputError for a file that is none."""
    if class_file is None:
        return host
    from numaaudit.compare.hardware_class import expecting, read_class

    return expecting(host, read_class(class_file))
