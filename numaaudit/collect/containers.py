"""Containers by their id: people type the first 12 of its 64 digits, and kubectl prints ``containerd://<id>``."""

from __future__ import annotations

import re
from typing import List, Sequence

from numaaudit.collect.closest import closest
from numaaudit.core.cgroup_ids import container_ids
from numaaudit.core.errors import CollectError, NothingSelectedError, UsageError

_SHOWN = 12  # digits of an id that tools print
_MOST_SHOWN = 5
_TYPED = re.compile(r"(?:[a-z-]{1,20}://)?([0-9a-f]{1,64})")


def find_container(typed: str, cgroups: Sequence[str]) -> str:
    """The full id of a container that has a process.

    UsageError for what is no id, CollectError where several begin so, NothingSelectedError with the closest where none does.
    """
    match = _TYPED.fullmatch(typed)
    if not match:
        raise UsageError("--container %s: not an id; `docker ps`, `podman ps` and `crictl ps` print the id of a name" % typed)
    known = sorted({each for cgroup in cgroups for each in container_ids(cgroup)})
    found = [each for each in known if each.startswith(match[1])]
    if len(found) > 1:
        raise CollectError("several containers begin with %s: %s" % (match[1], _short(found[:_MOST_SHOWN])), "type more of the id")
    if not found:
        raise NothingSelectedError("no process is in container %s" % typed, _hint(match[1], known))
    return found[0]


def short_id(number: str) -> str:
    """What tools print of an id."""
    return number[:_SHOWN]


def _hint(typed: str, known: List[str]) -> str:
    if not known:
        return "no process of this host is in a container"
    return "closest: " + _short(closest(typed, known, lambda each: each[: len(typed)]))


def _short(ids: Sequence[str]) -> str:
    return ", ".join(map(short_id, ids))
