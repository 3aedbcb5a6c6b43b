"""Where a bundle goes: under the name that was asked for, else a new one; elsewhere if there is no room."""

from __future__ import annotations

import os
import sys
from typing import Callable, Optional

from numaaudit.bundle.archive import packed_bundle, write_bundle
from numaaudit.bundle.manifest import Manifest
from numaaudit.collect.runner import Collection
from numaaudit.core.errors import CollectError, TargetExistsError
from numaaudit.core.streams import to_nowhere

Sign = Callable[[bytes], bytes]  # of a manifest; CollectError where that cannot be signed


def bundle_name(manifest: Manifest, number: int = 1) -> str:
    """The name of a bundle that was given none: ``numaaudit-20261129T101500Z-1a2b.tar.gz``, with four digits of the host's id.

    A second one of the same second gets ``-2``.
    """
    time_utc = manifest.collected_at.replace("-", "").replace(":", "")
    return "numaaudit-%s-%s%s.tar.gz" % (time_utc, manifest.host_id[:4] or "0000", "-%d" % number if number > 1 else "")


def write(collection: Collection, path: str = "") -> str:
    """Write the bundle under ``path``, or under a new name in this directory; returns where it is.

    CollectError if it cannot be written there: then nothing is left there, and it is in a temporary folder if that can be.
    """
    try:
        return _write_in(os.path.dirname(path), collection, os.path.basename(path))
    except CollectError as error:
        raise _saved(collection, error) from None


def send(collection: Collection) -> int:
    """Write the bundle to standard output, packed by gzip; returns its size in bytes. CollectError as of ``write``."""
    data = packed_bundle(collection.manifest, collection.members, collection.signature)
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        to_nowhere(sys.stdout)
        raise _saved(collection, CollectError("standard output: %s" % error.strerror)) from None
    return len(data)


def signed(collection: Collection, path: str, sign: Sign) -> Collection:
    """The collection with its signature, to be written under ``path``.

    CollectError if it cannot be signed: what a restart may destroy is then kept all the same, under a name that says so.
    """
    try:
        signature = sign(collection.manifest.to_json())
    except CollectError as error:
        raise CollectError("%s; %s" % (error, _kept_unsigned(collection, path)), "the bundle is whole, but nobody vouches for it") from None
    return collection._replace(signature=signature)


def _kept_unsigned(collection: Collection, path: str) -> str:
    folder, name = os.path.split(path)
    unsigned = os.path.join(folder, "unsigned-" + (name or bundle_name(collection.manifest)))
    try:
        return "what was collected is in %s" % write(collection, unsigned)
    except CollectError as error:
        return str(error)  # it says where else it is, if anywhere


def _saved(collection: Collection, error: CollectError) -> CollectError:
    """The error with where the bundle is instead, if it is anywhere."""
    saved = _save_elsewhere(collection)
    return CollectError("%s; what was collected is in %s" % (error, saved), "move it where there is room") if saved else error


def _save_elsewhere(collection: Collection) -> Optional[str]:
    """What a restart may destroy is not thrown away because a disk is full."""
    for folder in (os.environ.get("TMPDIR") or "/tmp", "/dev/shm"):
        try:
            return _write_in(folder, collection)
        except CollectError:
            continue
    return None


def _write_in(folder: str, collection: Collection, name: str = "") -> str:
    """Write the bundle under a name, by default one that is free; returns its path."""
    number = 1
    while True:
        path = os.path.join(folder, name or bundle_name(collection.manifest, number))
        try:
            write_bundle(path, collection.manifest, collection.members, collection.signature)
        except TargetExistsError:
            if name:
                raise
            number += 1
        else:
            return path
